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
 * @param isOurs whether we made the resource ourselves: it may be of a kind that control planes may
 *     not use
 * @param overlay local policy over the resource; whether it is valid does not depend on that
 */
public record DecodeContext(
    ServerFeatures features,
    Map<String, CertificateProvider> certificateProviders,
    Optional<XdsServer> loadServer,
    boolean isOurs,
    Overlay overlay) {
  public DecodeContext {
    certificateProviders = Map.copyOf(certificateProviders);
  }

  /** For resources of others, without local policy. */
  public DecodeContext(
      ServerFeatures features,
      Map<String, CertificateProvider> certificateProviders,
      Optional<XdsServer> loadServer) {
    this(features, certificateProviders, loadServer, false, Overlay.NONE);
  }

  /** For resources from where no load is reported to. */
  public DecodeContext(
      ServerFeatures features, Map<String, CertificateProvider> certificateProviders) {
    this(features, certificateProviders, Optional.empty());
  }

  /** For resources that we make ourselves, without local policy. */
  public static DecodeContext ofOurs() {
    return new DecodeContext(ServerFeatures.NONE, Map.of(), Optional.empty(), true, Overlay.NONE);
  }

  /** The same under another overlay. */
  public DecodeContext under(Overlay other) {
    return new DecodeContext(features, certificateProviders, loadServer, isOurs, other);
  }
}
