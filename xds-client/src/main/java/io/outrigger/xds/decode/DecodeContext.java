package io.outrigger.xds.decode;

import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import java.util.Optional;
import java.util.Set;

/**
 * What validation depends on besides the resource.
 *
 * @param features of the server that sent it
 * @param certificateProviders instance names that the bootstrap defines (A29)
 * @param loadServer whom an {@code lrs_server} of {@code self} means; empty when what sent the
 *     resource takes no load reports
 */
public record DecodeContext(
    ServerFeatures features, Set<String> certificateProviders, Optional<XdsServer> loadServer) {
  public DecodeContext {
    certificateProviders = Set.copyOf(certificateProviders);
  }

  /** For resources from where no load is reported to. */
  public DecodeContext(ServerFeatures features, Set<String> certificateProviders) {
    this(features, certificateProviders, Optional.empty());
  }
}
