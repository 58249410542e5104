package io.outrigger.program.options;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Bootstrap.Authority;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the source of the configuration: {@code --bootstrap} and {@code --resources}. */
final class SourceReader {
  private SourceReader() {}

  /**
   * Reads the bootstrap, and checks the paths of static resources.
   *
   * @param isNeeded whether one of the two must be given
   * @throws AbsentFile when the absent bootstrap file is the only error
   * @throws InvalidInput with one line per error
   */
  static ConfigSource read(GivenFlags settings, Map<String, String> environment, boolean isNeeded)
      throws InvalidInput {
    var problems = new Problems();
    List<Path> resources =
        paths(settings, Flag.RESOURCES, "is empty; give a file or a folder of resources", problems);
    Optional<Path> file = settings.get(Flag.BOOTSTRAP).map(given -> Path.of(given.last()));
    // a bootstrap that the environment names for other programs matters only where one is needed
    boolean isUsed = isNeeded || file.isPresent() || !resources.isEmpty();
    Optional<BootstrapSource.Found> found;
    try {
      found =
          isUsed
              ? BootstrapSource.find(file, settings.origin(Flag.BOOTSTRAP), environment)
              : Optional.empty();
    } catch (InvalidInput wrong) {
      throw problems.and(wrong);
    }
    problems.throwIfAny();
    if (found.isEmpty() && resources.isEmpty() && isNeeded) {
      throw new InvalidInput(
          List.of(
              Flag.BOOTSTRAP.option()
                  + ": is missing; give a file, set GRPC_XDS_BOOTSTRAP, or use --resources without"
                  + " a control plane"));
    }
    Optional<Bootstrap> bootstrap = found.map(BootstrapSource.Found::bootstrap);
    return new ConfigSource(
        resources.isEmpty() ? bootstrap.orElse(BootstrapSource.NONE) : forFiles(bootstrap),
        found.map(BootstrapSource.Found::origin),
        found.map(BootstrapSource.Found::warnings).orElse(List.of()),
        resources);
  }

  static List<Path> paths(GivenFlags settings, Flag flag, String empty, Problems problems) {
    Optional<GivenFlags.Given> given = settings.get(flag);
    if (given.isEmpty()) {
      return List.of();
    }
    List<Path> paths = given.get().values().stream().map(Path::of).toList();
    for (Path path : paths) {
      if (path.toString().isEmpty()) { // an empty path would mean the current folder
        problems.add(given.get().origin(), empty);
      } else if (!Files.isReadable(path)) {
        String reason = Files.exists(path) ? "permission denied" : "no such file or folder";
        problems.add(given.get().origin(), "cannot read " + path + ": " + reason);
      }
    }
    return paths;
  }

  /**
   * Returns the bootstrap for static resources: one server, the files, replaces all control planes.
   */
  private static Bootstrap forFiles(Optional<Bootstrap> given) {
    var files =
        new XdsServer(
            ConfigSource.STATIC_SERVER,
            new XdsServer.ChannelCredentials.Insecure(),
            List.of(),
            given.map(b -> b.servers().get(0).features()).orElse(ServerFeatures.NONE));
    if (given.isEmpty()) {
      return BootstrapSource.NONE.servedBy(files);
    }
    Map<String, Authority> authorities = new HashMap<>();
    given
        .get()
        .authorities()
        .forEach(
            (name, a) ->
                authorities.put(name, new Authority(List.of(), a.listenerNameTemplate(), false)));
    return new Bootstrap(
        List.of(files),
        given.get().node(),
        authorities,
        given.get().certificateProviders(),
        given.get().listenerNameTemplate(),
        given
            .get()
            .serverListenerNameTemplate()
            .or(BootstrapSource.NONE::serverListenerNameTemplate));
  }
}
