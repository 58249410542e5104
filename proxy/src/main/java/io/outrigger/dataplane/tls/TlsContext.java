package io.outrigger.dataplane.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.outrigger.base.AnyThread;
import io.outrigger.identity.certificate.CertificateRefusal;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.PeerRole;
import io.outrigger.identity.certificate.PeerVerifier;
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
 * The TLS context of all connections with equal settings and certificates (A29-20), for TLS 1.2 and
 * 1.3. Sessions are not resumed, so that each connection verifies its peer with the current
 * certificates.
 */
@AnyThread
public final class TlsContext {
  private final TlsEngines engines;
  private final List<String> alpn;
  private final TlsMaterial material;
  private final PeerVerifier verifier;
  private final Executor tasks;

  /**
   * Builds a context. Building a context takes milliseconds, so the control loop and event loops
   * must not call this method.
   *
   * @param alpn protocol names to offer by ALPN before {@code h2}; each must denote HTTP/2, too
   * @param tasks runs the slow parts of handshakes outside the event loops
   * @throws GeneralSecurityException when the TLS library rejects the certificates
   */
  public static TlsContext of(TlsMaterial material, List<String> alpn, Executor tasks)
      throws GeneralSecurityException {
    return new TlsContext(TlsLibrary.of(material), material, alpn, tasks);
  }

  TlsContext(TlsLibrary library, TlsMaterial material, List<String> alpn, Executor tasks)
      throws GeneralSecurityException {
    Set<String> offered = new LinkedHashSet<>(alpn);
    offered.add(ApplicationProtocolNames.HTTP_2);
    this.alpn = List.copyOf(offered);
    this.material = material;
    this.tasks = tasks;
    verifier = PeerVerifier.of(material);
    engines = library.engines(material, this.alpn, verifier);
  }

  /**
   * Adds the TLS handlers to the end of the pipeline of a new channel. The caller must limit the
   * duration of the handshake.
   *
   * @param serverName the name that a client sends as SNI; empty to send no SNI
   */
  public void addTo(Channel channel, Optional<String> serverName) {
    TlsHandler handler = handler(serverName, channel.alloc());
    channel.pipeline().addLast(new HandshakeLimit(peer()));
    if (peer() == PeerRole.CLIENT) {
      channel.pipeline().addLast(new AlpnCheck(alpn));
    }
    channel.pipeline().addLast(handler, handler.recordObserver());
  }

  TlsHandler handler(Optional<String> serverName, ByteBufAllocator buffers) {
    return new TlsHandler(
        engines.engine(serverName, buffers), alpn, peer(), TlsThreads.ofHandshake(tasks));
  }

  public PeerRole peer() {
    return material.peerRole();
  }

  /** The certificate of this side; empty when this side presents no certificate. */
  public Optional<Identity> identity() {
    return material.identity();
  }

  /** The reason why a peer is no longer trusted, if any; the check takes about 100 µs. */
  public Optional<String> objection(TlsPeer peer) {
    return peer.chain().isEmpty()
        ? Optional.empty() // a client may present no certificate unless the settings require one
        : verifier.objectionToOpen(peer.chain(), peer.serverName()).map(CertificateRefusal::text);
  }
}
