package io.outrigger.xds.decode;

import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.overlay.Overlay;
import java.util.Map;
import java.util.Optional;

/**
 * The inputs of decoding other than the resource itself.
 *
 * @param features the features of the server that sent the resource
 * @param certificateProviders the certificate providers of the bootstrap, by instance name (A29)
 * @param loadServer the server to which {@code lrs_server: self} refers; empty if the sender of the
 *     resource accepts no load reports
 * @param isOurs whether Outrigger generated the resource, which may then have the type STRICT_DNS
 * @param recent the endpoints of earlier responses, reused for endpoints with the same bytes
 */
public record DecodeContext(
    ServerFeatures features,
    Map<String, CertificateProvider> certificateProviders,
    Optional<XdsServer> loadServer,
    boolean isOurs,
    Overlay overlay,
    RecentEndpoints recent) {
  public DecodeContext {
    certificateProviders = Map.copyOf(certificateProviders);
  }

  public DecodeContext(
      ServerFeatures features, Map<String, CertificateProvider> certificateProviders) {
    this(features, certificateProviders, Optional.empty(), false);
  }

  public DecodeContext(
      ServerFeatures features,
      Map<String, CertificateProvider> providers,
      Optional<XdsServer> loadServer,
      boolean isOurs) {
    this(features, providers, loadServer, isOurs, Overlay.NONE, new RecentEndpoints());
  }

  public DecodeContext under(Overlay other) {
    return new DecodeContext(features, certificateProviders, loadServer, isOurs, other, recent);
  }

  public DecodeContext with(RecentEndpoints others) {
    return new DecodeContext(features, certificateProviders, loadServer, isOurs, overlay, others);
  }
}
