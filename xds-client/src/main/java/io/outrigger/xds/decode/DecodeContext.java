package io.outrigger.xds.decode;

import io.outrigger.config.bootstrap.ServerFeatures;
import java.util.Set;

/**
 * What validation depends on besides the resource.
 *
 * @param features of the server that sent it
 * @param certificateProviders instance names that the bootstrap defines (A29)
 */
public record DecodeContext(ServerFeatures features, Set<String> certificateProviders) {
  public DecodeContext {
    certificateProviders = Set.copyOf(certificateProviders);
  }
}
