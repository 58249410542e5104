package io.outrigger.proxy.tls;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslHandler;
import io.outrigger.base.AnyThread;
import io.outrigger.proxy.memory.MemoryLedger;
import io.outrigger.xds.certificate.IdentityKeyManager;
import io.outrigger.xds.certificate.ServerName;
import io.outrigger.xds.certificate.ServerTrustManager;
import io.outrigger.xds.certificate.ServerVerifier;
import io.outrigger.xds.certificate.TlsMaterial;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

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
  private static final int SESSION_SECONDS = 30 * 24 * 3600;

  private final SSLContext context;
  private final String[] alpn;
  private final String[] cipherSuites;
  private final ServerVerifier verifier;
  private final Executor tasks;

  private TlsContext(
      SSLContext context, List<String> alpn, ServerVerifier verifier, Executor tasks) {
    this.context = context;
    this.alpn = alpn.toArray(String[]::new);
    this.cipherSuites = cipherSuites(context);
    this.verifier = verifier;
    this.tasks = tasks;
  }

  /**
   * Takes milliseconds: neither for the control loop nor for event loops. Uses the JDK's context
   * without Netty's builder, which would encrypt the key into a key store with thousands of rounds
   * and read the JDK's own authorities.
   *
   * @param alpn protocols to offer before {@code h2}, which mean the same
   * @param tasks runs what of handshakes takes long, beside the event loops
   * @throws GeneralSecurityException when the library refuses the certificates
   */
  public static TlsContext of(TlsMaterial material, List<String> alpn, Executor tasks)
      throws GeneralSecurityException {
    ServerVerifier verifier = ServerVerifier.of(material);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        material.identity().stream().map(IdentityKeyManager::new).toArray(KeyManager[]::new),
        new TrustManager[] {new ServerTrustManager(verifier)},
        null);
    context.getClientSessionContext().setSessionTimeout(SESSION_SECONDS);
    context.getClientSessionContext().setSessionCacheSize(1); // 0 is no limit
    return new TlsContext(context, offered(alpn), verifier, tasks);
  }

  private static List<String> offered(List<String> alpn) {
    Set<String> offered = new LinkedHashSet<>(alpn);
    offered.add(ApplicationProtocolNames.HTTP_2);
    return List.copyOf(offered);
  }

  /** Those of HTTP/2 (RFC 9113 section 9.2.2) which this JVM has. */
  private static String[] cipherSuites(SSLContext context) {
    Set<String> supported = Set.of(context.getSupportedSSLParameters().getCipherSuites());
    return Http2SecurityUtil.CIPHERS.stream().filter(supported::contains).toArray(String[]::new);
  }

  /**
   * Adds TLS to the end of a channel that is not connected yet; who comes next bounds its time.
   *
   * @param serverName to ask for; empty for none
   * @param memory counts what the handshake holds
   */
  public void addTo(Channel channel, Optional<String> serverName, MemoryLedger memory) {
    GuardedEngine engine = engine(serverName);
    var handler = new SslHandler(engine, TlsThreads.ofHandshake(tasks));
    handler.setHandshakeTimeoutMillis(0);
    channel.pipeline().addLast(new HandshakeLimit(engine, memory), handler);
  }

  GuardedEngine engine(Optional<String> serverName) {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(true);
    var parameters = new SSLParameters(cipherSuites, PROTOCOLS);
    parameters.setApplicationProtocols(alpn);
    serverName.ifPresent(name -> parameters.setServerNames(List.of(new ServerName(name))));
    engine.setSSLParameters(parameters);
    return new GuardedEngine(engine);
  }

  /** Why a peer that was trusted is no longer; empty when it still is. Some 100 µs. */
  public Optional<String> objection(TlsPeer peer) {
    return verifier.objection(
        peer.chain().toArray(X509Certificate[]::new), peer.authType(), peer.serverName());
  }
}
