package io.outrigger.xds.transport;

import io.grpc.ChannelCredentials;
import io.grpc.netty.NettySslContextChannelCredentials;
import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.ServerTrustManager;
import io.outrigger.identity.certificate.ServerVerifier;
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
 * The certificates of {@code tls} credentials (A65): the roots and the identity that their files
 * have, else the roots of the system. New connections use what was read last; open ones stay.
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
   * @throws IllegalArgumentException naming the key and the file, if one cannot be used
   */
  static ServerTls of(Tls config, Map<String, String> environment) {
    if (config.certificateFile().isPresent() != config.privateKeyFile().isPresent()) {
      throw new IllegalArgumentException("certificate_file and private_key_file go together");
    }
    return new ServerTls(
        config, new SystemRoots(Optional.ofNullable(environment.get(SystemRoots.VARIABLE))));
  }

  /**
   * Reads them again. Blocks.
   *
   * @throws IllegalArgumentException naming the key and the file, if one cannot be used; what was
   *     read before stays in use
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

  /** For HTTPS clients that trust the same. */
  SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new HttpsTrust()}, null);
      context.getClientSessionContext().setSessionTimeout(1); // so that none is resumed
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JVM has no TLS", e);
    }
  }

  /** Accepts servers by the host that they were connected to for. */
  private final class HttpsTrust extends ServerTrustManager {
    HttpsTrust() {
      super(
          (chain, host) ->
              ServerVerifier.of(
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
