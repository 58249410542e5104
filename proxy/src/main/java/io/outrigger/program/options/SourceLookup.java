package io.outrigger.program.options;

import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Bootstrap.Authority;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.program.options.InvalidInput.AbsentFile;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.local.ResourceFiles;
import io.outrigger.xds.local.ResourceValidator;
import io.outrigger.xds.overlay.Overlay;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the configuration: {@code --bootstrap} and {@code --resources}. Each call of {@link #find}
 * reads the files again, since the bootstrap file may appear after the start. Calls block.
 */
@AnyThread
public final class SourceLookup {
  private static final String NO_STATE =
      ": has no effect, because --resources replaces the control plane; leave it out";

  private final GivenFlags settings;
  private final Map<String, String> environment;
  private final PortsReader ports;
  private final Duration timeout;

  SourceLookup(
      GivenFlags settings, Map<String, String> environment, PortsReader ports, Duration timeout) {
    this.settings = settings;
    this.environment = Map.copyOf(environment);
    this.ports = ports;
    this.timeout = timeout;
  }

  /** Returns how long to wait for files that other processes write; zero means no wait. */
  public Duration timeout() {
    return timeout;
  }

  /**
   * Reads the bootstrap and the static resources. Checks that the bootstrap names a Listener for
   * each target and served address; {@link #check} validates the resources.
   *
   * @throws AbsentFile when the named bootstrap does not exist
   * @throws InvalidInput with one line per error, when a file is invalid, or when a target needs a
   *     control plane and no bootstrap is named
   */
  public ConfigSource find() throws InvalidInput {
    boolean isNeeded = ports.needsControlPlane();
    var problems = new Problems();
    List<Path> resources =
        paths(settings, Flag.RESOURCES, "is empty; give a file or a folder of resources", problems);
    Optional<Path> file = settings.get(Flag.BOOTSTRAP).map(given -> Path.of(given.last()));
    // Reads the environment's bootstrap only if needed: it may be meant for other programs.
    boolean isUsed = isNeeded || file.isPresent() || !resources.isEmpty();
    Optional<BootstrapSource.Found> found;
    try {
      found =
          isUsed
              ? BootstrapSource.find(file, settings.origin(Flag.BOOTSTRAP), environment)
              : Optional.empty();
    } catch (InvalidInput wrong) {
      throw problems.combinedWith(wrong);
    }
    problems.throwIfAny();
    if (found.isEmpty() && resources.isEmpty() && isNeeded) {
      throw new InvalidInput(
          "--bootstrap: is missing; give a file, set GRPC_XDS_BOOTSTRAP, or use --resources without"
              + " a control plane");
    }
    Bootstrap given = found.map(BootstrapSource.Found::bootstrap).orElse(BootstrapSource.NONE);
    Bootstrap bootstrap = resources.isEmpty() ? given : forFiles(given);
    ports.checkNames(bootstrap);
    List<String> warnings = new ArrayList<>();
    found.map(BootstrapSource.Found::warnings).ifPresent(warnings::addAll);
    if (!resources.isEmpty() && !List.of("off").containsAll(settings.values(Flag.STATE))) {
      warnings.add(settings.origin(Flag.STATE) + NO_STATE);
    }
    return new ConfigSource(
        bootstrap,
        found.map(BootstrapSource.Found::origin),
        warnings,
        resources,
        ResourceFiles.read(resources));
  }

  /**
   * Checks that the sidecar would accept every static resource.
   *
   * @throws InvalidInput with one line per error
   */
  public static void check(ConfigSource source) throws InvalidInput {
    if (source.isStatic()) {
      var problems = new Problems();
      problems.addFiles(validated(source.files(), source.bootstrap(), Overlay.NONE).problems());
      problems.throwIfAny();
    }
  }

  /**
   * Validates static resources by the rules that the client of a control plane applies.
   *
   * @param bootstrap supplies the server features and certificate providers
   * @param overlay contains the local policy that is applied to the resources
   */
  public static ResourceValidator.Result validated(
      ResourceFiles files, Bootstrap bootstrap, Overlay overlay) {
    var context = new DecodeContext(features(bootstrap), bootstrap.certificateProviders());
    return ResourceValidator.validate(files, context.under(overlay));
  }

  private static ServerFeatures features(Bootstrap bootstrap) {
    return bootstrap.servers().isEmpty()
        ? ServerFeatures.NONE
        : bootstrap.servers().get(0).features();
  }

  /** Returns the readable paths of a flag; adds an error for each unreadable path. */
  static List<Path> paths(GivenFlags settings, Flag flag, String empty, Problems problems) {
    List<Path> paths = new ArrayList<>();
    for (String text : settings.values(flag)) {
      Path path = Path.of(text);
      if (path.toString().isEmpty()) { // an empty path would mean the current folder
        problems.add(settings.origin(flag), empty);
      } else if (!Files.isReadable(path)) {
        String reason = Files.exists(path) ? "permission denied" : "no such file or folder";
        problems.add(settings.origin(flag), "cannot read " + path + ": " + reason);
      } else {
        paths.add(path);
      }
    }
    return paths;
  }

  /** Returns a copy of a bootstrap; the copy's only server supplies the static resources. */
  private static Bootstrap forFiles(Bootstrap given) {
    var files =
        new XdsServer(
            ConfigSource.STATIC_SERVER,
            new XdsServer.ChannelCredentials.Insecure(),
            List.of(),
            features(given));
    Map<String, Authority> authorities = new HashMap<>();
    given
        .authorities()
        .forEach(
            (name, a) ->
                authorities.put(name, new Authority(List.of(), a.listenerNameTemplate(), false)));
    return new Bootstrap(
        List.of(files),
        given.node(),
        authorities,
        given.certificateProviders(),
        given.listenerNameTemplate(),
        given.serverListenerNameTemplate().or(BootstrapSource.NONE::serverListenerNameTemplate));
  }
}
