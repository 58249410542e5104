package io.outrigger.xds.decode;

import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.overlay.Overlay;
import java.util.Map;
import java.util.Optional;

/**
 * What validation depends on besides the resource.
 *
 * @param features of the server that sent it
 * @param certificateProviders of the bootstrap, by instance name (A29)
 * @param loadServer whom an {@code lrs_server} of {@code self} means; empty when what sent the
 *     resource takes no load reports
 * @param overlay local policy over the resource; whether it is valid does not depend on that
 */
public record DecodeContext(
    ServerFeatures features,
    Map<String, CertificateProvider> certificateProviders,
    Optional<XdsServer> loadServer,
    Overlay overlay) {
  public DecodeContext {
    certificateProviders = Map.copyOf(certificateProviders);
  }

  /** Without local policy. */
  public DecodeContext(
      ServerFeatures features,
      Map<String, CertificateProvider> certificateProviders,
      Optional<XdsServer> loadServer) {
    this(features, certificateProviders, loadServer, Overlay.NONE);
  }

  /** For resources from where no load is reported to. */
  public DecodeContext(
      ServerFeatures features, Map<String, CertificateProvider> certificateProviders) {
    this(features, certificateProviders, Optional.empty());
  }

  /** The same under another overlay. */
  public DecodeContext under(Overlay other) {
    return new DecodeContext(features, certificateProviders, loadServer, other);
  }
}
