package io.outrigger.xds.transport;

import io.grpc.ChannelCredentials;
import io.grpc.netty.NettySslContextChannelCredentials;
import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.PeerTrustManager;
import io.outrigger.identity.certificate.PeerVerifier;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.SystemRoots;
import io.outrigger.identity.certificate.TlsMaterial;
import io.outrigger.identity.certificate.UnusableFile;
import io.outrigger.identity.tls.EachConnectionContext;
import io.outrigger.identity.tls.EachConnectionContext.Certificates;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;

/**
 * The certificates of {@code tls} credentials (A65): the identity and the roots of the configured
 * files, or the system roots when no file of roots is configured. New connections use the
 * certificates that were read last; open connections keep their certificates.
 */
@AnyThread
final class ServerTls {
  private final Tls config;
  private final SystemRoots systemRoots;
  private volatile Certificates certificates;

  private ServerTls(Tls config, SystemRoots systemRoots) {
    this.config = config;
    this.systemRoots = systemRoots;
    this.certificates = read();
  }

  /**
   * Reads the certificates for the first time. Blocks.
   *
   * @throws IllegalArgumentException if a file cannot be used; the message names the key and the
   *     file
   */
  static ServerTls of(Tls config, Map<String, String> environment) {
    if (config.certificateFile().isPresent() != config.privateKeyFile().isPresent()) {
      throw new IllegalArgumentException("certificate_file and private_key_file go together");
    }
    return new ServerTls(
        config, new SystemRoots(Optional.ofNullable(environment.get(SystemRoots.VARIABLE))));
  }

  /**
   * Reads the certificates again. Blocks.
   *
   * @throws IllegalArgumentException if a file cannot be used; the message names the key and the
   *     file, and the certificates read before stay in use
   */
  void reload() {
    certificates = read();
  }

  private Certificates read() {
    try {
      Roots roots =
          config.caCertificateFile().isPresent()
              ? Roots.Authorities.read(config.caCertificateFile().get())
              : systemRoots.authorities();
      Optional<Identity> identity =
          config.certificateFile().isPresent() && config.privateKeyFile().isPresent()
              ? Optional.of(
                  Identity.read(config.certificateFile().get(), config.privateKeyFile().get()))
              : Optional.empty();
      return new Certificates(identity, roots);
    } catch (UnusableFile unusable) {
      throw new IllegalArgumentException(unusable.reason(), unusable);
    }
  }

  ChannelCredentials credentials() {
    return NettySslContextChannelCredentials.create(new EachConnectionContext(() -> certificates));
  }

  /** Returns a context for HTTPS clients that trust the same roots. */
  SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new HttpsTrust()}, null);
      context.getClientSessionContext().setSessionTimeout(1); // prevents resumption
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JVM has no TLS", e);
    }
  }

  /** Verifies the certificate of a server against the host name of the connection. */
  private final class HttpsTrust extends PeerTrustManager {
    HttpsTrust() {
      super(
          (chain, host) ->
              PeerVerifier.of(
                      new TlsMaterial(
                          EachConnectionContext.settings(host.orElse("")),
                          Optional.empty(),
                          certificates.roots()))
                  .objection(chain, Optional.empty()));
    }

    @Override
    protected Optional<String> serverName(SSLEngine engine) {
      return Optional.ofNullable(engine.getPeerHost());
    }
  }
}
