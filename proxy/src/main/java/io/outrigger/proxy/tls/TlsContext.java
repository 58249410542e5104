package io.outrigger.proxy.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.base.AnyThread;
import io.outrigger.proxy.memory.MemoryLedger;
import io.outrigger.xds.certificate.Identity;
import io.outrigger.xds.certificate.ServerName;
import io.outrigger.xds.certificate.ServerTrustManager;
import io.outrigger.xds.certificate.ServerVerifier;
import io.outrigger.xds.certificate.TlsMaterial;
import java.security.cert.X509Certificate;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/**
 * What all TLS connections share that have equal settings and certificates (A29-20). TLS 1.2 and
 * 1.3, by ALPN {@code h2} or what local policy offers before it, no host name check but that of the
 * settings. Sessions are not resumed: each connection has its peer judged by the certificates of
 * now.
 */
@AnyThread
public final class TlsContext {
  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  /**
   * Longer than tickets live (RFC 8446 section 4.6.1): with it the JDK drops them. Else each ticket
   * makes a session that lives as long as its connection, at up to 32 KiB.
   */
  private static final long SESSION_SECONDS = 30L * 24 * 3600;

  private final SslContext context;
  private final ServerVerifier verifier;
  private final Executor tasks;

  private TlsContext(SslContext context, ServerVerifier verifier, Executor tasks) {
    this.context = context;
    this.verifier = verifier;
    this.tasks = tasks;
  }

  /**
   * Takes milliseconds: neither for the control loop nor for event loops.
   *
   * @param alpn protocols to offer before {@code h2}, which mean the same
   * @param tasks runs what of handshakes takes long, beside the event loops
   * @throws SSLException when the library refuses the certificates
   */
  public static TlsContext of(TlsMaterial material, List<String> alpn, Executor tasks)
      throws SSLException {
    ServerVerifier verifier = ServerVerifier.of(material);
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .protocols(PROTOCOLS)
            .endpointIdentificationAlgorithm(null)
            .trustManager(new ServerTrustManager(verifier))
            .sessionTimeout(SESSION_SECONDS)
            .sessionCacheSize(1) // none at all is spelled otherwise, 0 is no limit
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    Protocol.ALPN,
                    SelectorFailureBehavior.NO_ADVERTISE,
                    SelectedListenerFailureBehavior.ACCEPT,
                    offered(alpn)));
    material
        .identity()
        .ifPresent(
            (Identity own) ->
                builder.keyManager(own.key(), own.chain().toArray(X509Certificate[]::new)));
    return new TlsContext(builder.build(), verifier, tasks);
  }

  private static List<String> offered(List<String> alpn) {
    Set<String> offered = new LinkedHashSet<>(alpn);
    offered.add(ApplicationProtocolNames.HTTP_2);
    return List.copyOf(offered);
  }

  /**
   * Adds TLS to the end of a channel that is not connected yet; who comes next bounds its time.
   *
   * @param serverName to ask for; empty for none
   * @param memory counts what the handshake holds
   */
  public void addTo(Channel channel, Optional<String> serverName, MemoryLedger memory) {
    GuardedEngine engine = engine(channel.alloc(), serverName);
    var handler = new SslHandler(engine, TlsThreads.ofHandshake(tasks));
    handler.setHandshakeTimeoutMillis(0);
    channel.pipeline().addLast(new HandshakeLimit(engine, memory), handler);
  }

  GuardedEngine engine(ByteBufAllocator alloc, Optional<String> serverName) {
    SSLEngine engine = context.newEngine(alloc);
    if (serverName.isPresent()) {
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setServerNames(List.of(new ServerName(serverName.get())));
      engine.setSSLParameters(parameters);
    }
    return new GuardedEngine(engine);
  }

  /** Why a peer that was trusted is no longer; empty when it still is. Some 100 µs. */
  public Optional<String> objection(TlsPeer peer) {
    return verifier.objection(
        peer.chain().toArray(X509Certificate[]::new), peer.authType(), peer.serverName());
  }
}
