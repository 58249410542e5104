package io.outrigger.dataplane.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.outrigger.base.AnyThread;
import io.outrigger.identity.certificate.CertificateRefusal;
import io.outrigger.identity.certificate.ServerVerifier;
import io.outrigger.identity.certificate.TlsMaterial;
import io.outrigger.identity.tls.TlsEngines;
import io.outrigger.identity.tls.TlsLibrary;
import java.security.GeneralSecurityException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * What all TLS connections share that have equal settings and certificates (A29-20). TLS 1.2 and
 * 1.3, by ALPN {@code h2} or what local policy offers before it, no host name check but that of the
 * settings. Sessions are not resumed: each connection has its peer judged by the certificates of
 * now.
 */
@AnyThread
public final class TlsContext {
  private final TlsEngines engines;
  private final List<String> alpn;
  private final ServerVerifier verifier;
  private final Executor tasks;

  private TlsContext(
      TlsEngines engines, List<String> alpn, ServerVerifier verifier, Executor tasks) {
    this.engines = engines;
    this.alpn = alpn;
    this.verifier = verifier;
    this.tasks = tasks;
  }

  /**
   * Takes milliseconds: neither for the control loop nor for event loops.
   *
   * @param alpn protocols to offer before {@code h2}, which mean the same
   * @param tasks runs what of handshakes takes long, beside the event loops
   * @throws GeneralSecurityException when the library refuses the certificates
   */
  public static TlsContext of(TlsMaterial material, List<String> alpn, Executor tasks)
      throws GeneralSecurityException {
    return of(TlsLibrary.of(material), material, alpn, tasks);
  }

  static TlsContext of(TlsLibrary library, TlsMaterial material, List<String> alpn, Executor tasks)
      throws GeneralSecurityException {
    ServerVerifier verifier = ServerVerifier.of(material);
    List<String> offered = offered(alpn);
    TlsEngines engines = library.engines(material, offered, verifier);
    return new TlsContext(engines, offered, verifier, tasks);
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
   */
  public void addTo(Channel channel, Optional<String> serverName) {
    TlsHandler handler = handler(serverName, channel.alloc());
    channel.pipeline().addLast(new HandshakeLimit(), handler, handler.behind());
  }

  TlsHandler handler(Optional<String> serverName, ByteBufAllocator buffers) {
    return new TlsHandler(engines.engine(serverName, buffers), alpn, TlsThreads.ofHandshake(tasks));
  }

  /** Why a peer that was trusted is no longer; empty when it still is. Some 100 µs. */
  public Optional<String> objection(TlsPeer peer) {
    return verifier.objectionToOpen(peer.chain(), peer.serverName()).map(CertificateRefusal::text);
  }
}
