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

/** Reads where configuration comes from: {@code --bootstrap} and {@code --resources}. */
final class SourceReader {
  private SourceReader() {}

  /**
   * Reads the bootstrap, and names the static resources.
   *
   * @param isNeeded whether one of the two must be there
   * @throws AbsentFile when the bootstrap alone is wrong, and is not there
   * @throws InvalidInput with a line for each thing that is wrong
   */
  static ConfigSource read(GivenFlags settings, Map<String, String> environment, boolean isNeeded)
      throws InvalidInput {
    var problems = new Problems();
    List<Path> resources =
        paths(settings, Flag.RESOURCES, "is empty; give a file or a folder of resources", problems);
    Optional<BootstrapSource.Found> found;
    try {
      found =
          BootstrapSource.find(
              settings.get(Flag.BOOTSTRAP).map(given -> Path.of(given.last())),
              settings.origin(Flag.BOOTSTRAP),
              environment);
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

  /**
   * The files and folders that a flag names.
   *
   * @param empty what to say of one without a name
   */
  static List<Path> paths(GivenFlags settings, Flag flag, String empty, Problems problems) {
    Optional<GivenFlags.Given> given = settings.get(flag);
    if (given.isEmpty()) {
      return List.of();
    }
    List<Path> paths = given.get().values().stream().map(Path::of).toList();
    for (Path path : paths) {
      if (path.toString().isEmpty()) { // else it would be the folder that one is in
        problems.add(given.get().origin(), empty);
      } else if (!Files.isReadable(path)) {
        String reason = Files.exists(path) ? "permission denied" : "no such file or folder";
        problems.add(given.get().origin(), "cannot read " + path + ": " + reason);
      }
    }
    return paths;
  }

  /** With files in place of control planes all names come from one server. */
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
        given.get().listenerNameTemplate());
  }
}
