package io.outrigger.program.cli;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.local.ResourceFiles;
import io.outrigger.xds.local.ResourceValidator;
import io.outrigger.xds.overlay.Overlay;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Static resources, validated offline by the rules of the live client. */
record ResourceCheck(ResourceFiles files, ResourceValidator.Result result) {
  /**
   * Reads and decodes all resources.
   *
   * @param bootstrap supplies the server features and certificate providers; empty means that there
   *     are none
   * @param overlay the local policy that is applied to the resources
   */
  static ResourceCheck of(List<Path> paths, Optional<Bootstrap> bootstrap, Overlay overlay) {
    var context =
        new DecodeContext(
                bootstrap.map(b -> b.servers().get(0).features()).orElse(ServerFeatures.NONE),
                bootstrap.map(Bootstrap::certificateProviders).orElse(Map.of()))
            .under(overlay);
    ResourceFiles files = ResourceFiles.read(paths);
    return new ResourceCheck(files, ResourceValidator.validate(files, context));
  }
}
