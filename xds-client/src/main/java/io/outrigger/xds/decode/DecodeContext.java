package io.outrigger.xds.decode;

import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import java.util.Map;
import java.util.Optional;

/**
 * What validation depends on besides the resource.
 *
 * @param features of the server that sent it
 * @param certificateProviders of the bootstrap, by instance name (A29)
 * @param loadServer whom an {@code lrs_server} of {@code self} means; empty when what sent the
 *     resource takes no load reports
 */
public record DecodeContext(
    ServerFeatures features,
    Map<String, CertificateProvider> certificateProviders,
    Optional<XdsServer> loadServer) {
  public DecodeContext {
    certificateProviders = Map.copyOf(certificateProviders);
  }

  /** For resources from where no load is reported to. */
  public DecodeContext(
      ServerFeatures features, Map<String, CertificateProvider> certificateProviders) {
    this(features, certificateProviders, Optional.empty());
  }
}
