package io.outrigger.program.options;

import static io.outrigger.program.options.Problems.require;

import io.outrigger.base.ByteSize;
import io.outrigger.base.DurationText;
import io.outrigger.base.PlainText;
import io.outrigger.dataplane.calls.Measuring;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.forward.AuthorityMode;
import io.outrigger.dataplane.memory.MemoryPlan;
import io.outrigger.dataplane.serve.ServeSettings;
import io.outrigger.http2.EventLoops.TransportKind;
import io.outrigger.program.options.ProxyOptions.AccessLog;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.program.options.ProxyOptions.Connections;
import io.outrigger.program.options.ProxyOptions.Drain;
import io.outrigger.program.options.ProxyOptions.KubernetesAccess;
import io.outrigger.program.options.ProxyOptions.Limits;
import io.outrigger.program.options.ProxyOptions.Logging;
import io.outrigger.program.options.ProxyOptions.Measurement;
import io.outrigger.program.options.ProxyOptions.Routing;
import io.outrigger.program.options.ProxyOptions.Servers;
import io.outrigger.program.options.ProxyOptions.Serving;
import io.outrigger.xds.kubernetes.ApiAccess;
import io.outrigger.xds.kubernetes.Kubeconfig;
import io.outrigger.xds.local.OverlayFiles;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Builds {@link ProxyOptions} from the given flags, or reports all errors. The defaults are those
 * of CONTRACT section 2.
 */
public final class OptionsReader {
  /**
   * gRPC's own environment variable; it takes effect only with the exact value {@code true} (A75
   * "Aggregate Cluster Changes").
   */
  private static final String AGGREGATES_DECIDE = "GRPC_XDS_AGGREGATE_CLUSTER_BACKWARD_COMPAT";

  private static final String CALL_DELAYS = "grpc.client.call.delay.duration"; // A121
  private static final String ATTEMPT_DELAYS = "grpc.client.attempt.delay.duration"; // A121
  private static final String LOCALITY_LABEL = "grpc.lb.locality";

  /** The labels that A78, A89 and A94 call optional. */
  private static final List<String> OPTIONAL_LABELS =
      List.of(
          "grpc.disconnect_error",
          "grpc.lb.backend_service",
          LOCALITY_LABEL,
          "grpc.security_level");

  private static final List<String> LABEL_WORDS =
      Stream.concat(Stream.of("all", "none"), OPTIONAL_LABELS.stream()).toList();

  private static final String OFF = "off";
  private static final String PEER_HEADER = "x-forwarded-client-cert";
  private static final Pattern AUTHORITY = Pattern.compile("[A-Za-z0-9._~!$&'()*+,;=:%\\[\\]-]+");
  private static final Pattern ZONE = Pattern.compile("[A-Za-z0-9._-]{1,63}"); // as a label value
  private static final Pattern METHOD = Pattern.compile("[A-Za-z_][\\w.]*/[A-Za-z_]\\w*");

  /** The maximum number of methods for which each event loop has separate histograms. */
  private static final int MAX_METHODS = 100;

  private static final ListenAddress.Tcp ADMIN = new ListenAddress.Tcp("127.0.0.1", 9901);

  private final GivenFlags given;
  private final Problems problems = new Problems();

  /** The values of the flags that were read, defaults included. */
  private final Map<Flag, Object> values = new EnumMap<>(Flag.class);

  private OptionsReader(GivenFlags given) {
    this.given = given;
  }

  /**
   * Reads the options of {@code outrigger run}, and the files that they name. Opens no port.
   *
   * @throws InvalidInput with one line per error
   */
  public static ProxyOptions read(
      Map<Flag, List<String>> commandLine, Map<String, String> environment, Machine machine)
      throws InvalidInput {
    return new OptionsReader(GivenFlags.of(commandLine, environment)).read(environment, machine);
  }

  private ProxyOptions read(Map<String, String> environment, Machine machine) throws InvalidInput {
    PortsReader ports = new PortsReader(given, problems);
    ports.read();
    var lookup =
        new SourceLookup(
            given, environment, ports, duration(Flag.BOOTSTRAP_TIMEOUT, Duration.ZERO));
    Optional<ConfigSource> source = find(lookup);
    List<Path> overlays =
        SourceLookup.paths(
            given, Flag.OVERLAY, "is empty; give a file or a folder of rules", problems);
    OverlayFiles overlay = OverlayFiles.read(overlays);
    var options =
        new ProxyOptions(
            source,
            lookup,
            overlays,
            overlay,
            state(),
            ports.forwards(),
            kubernetes(ports.forwards(), environment),
            serving(ports.serves()),
            servers(ports),
            number(Flag.THREADS, machine.cpus(), 1, 1024),
            value(Flag.TRANSPORT, TransportKind.AUTO, OptionsReader::transport),
            connections(),
            limits(machine.memory()),
            new Routing(
                "true".equals(environment.get(AGGREGATES_DECIDE)),
                isOn(Flag.IGNORE_ROUTE_TIMEOUT),
                value(Flag.AUTHORITY, new AuthorityMode.OfTarget(), OptionsReader::authority),
                duration(Flag.DNS_REFRESH, Duration.ofSeconds(30))),
            new Drain(
                duration(Flag.DRAIN_DELAY, Duration.ZERO),
                duration(Flag.DRAIN_TIMEOUT, Duration.ofSeconds(30))),
            valueOrOff(Flag.ACCESS_LOG, Optional.empty(), OptionsReader::accessLog),
            measurement(),
            new Logging(
                oneOf(Flag.LOG_LEVEL, Logging.DEFAULT.level()),
                oneOf(Flag.LOG_FORMAT, Logging.DEFAULT.format())),
            settings());
    problems.throwIfAny(); // wrong flags are reported before the content of files
    problems.addFiles(overlay.problems());
    problems.throwIfAny();
    if (source.isPresent() && lookup.timeout().isZero()) { // otherwise BootstrapWait checks
      SourceLookup.check(source.get());
    }
    return options;
  }

  private Optional<KubernetesAccess> kubernetes(
      List<ForwardSpec> forwards, Map<String, String> environment) {
    Optional<ApiAccess> named = value(Flag.KUBECONFIG, Optional.empty(), OptionsReader::kubeconfig);
    Optional<String> zone =
        value(
            Flag.ZONE,
            Optional.empty(),
            text -> Optional.of(matching(ZONE, text, "a zone such as europe-west1-b")));
    Optional<ForwardSpec> user =
        forwards.stream()
            .filter(forward -> forward.target() instanceof Target.Kubernetes)
            .findFirst();
    boolean isWrong = named.isEmpty() && given.get(Flag.KUBECONFIG).isPresent();
    if (user.isEmpty() || isWrong) {
      return Optional.empty();
    }
    try {
      ApiAccess api = named.orElseGet(() -> ApiAccess.ofPod(environment));
      return Optional.of(new KubernetesAccess(api, zone));
    } catch (IllegalArgumentException noPod) {
      problems.add(
          given.origin(Flag.FORWARD), "\"" + user.get().target() + "\": " + noPod.getMessage());
      return Optional.empty();
    }
  }

  private static Optional<ApiAccess> kubeconfig(String text) {
    require(!text.isEmpty(), "is empty; give a kubeconfig file");
    return Optional.of(Kubeconfig.read(Path.of(text)));
  }

  private Optional<ProxyOptions.State> state() {
    Duration after = duration(Flag.STATE_AFTER, Duration.ofSeconds(5));
    Duration maxAge = positive(Flag.STATE_MAX_AGE, Duration.ofHours(24));
    return valueOrOff(Flag.STATE, Optional.empty(), OptionsReader::stateFolder)
        .map(folder -> new ProxyOptions.State(folder, after, maxAge));
  }

  private static Path stateFolder(String text) {
    require(!text.isEmpty(), "is empty; give a folder, or off");
    return Path.of(text).toAbsolutePath();
  }

  private Servers servers(PortsReader ports) {
    return new Servers(
        address(ports, Flag.ADMIN, "the admin server", Optional.of(ADMIN)),
        address(ports, Flag.ADMIN_GRPC, "the admin gRPC server", Optional.empty()),
        address(ports, Flag.HEALTH, "the health server", Optional.empty()));
  }

  /**
   * Returns the configuration; empty when it cannot be read. With {@code --bootstrap-timeout},
   * {@code BootstrapWait} reads the configuration again and reports its errors. Without {@code
   * --bootstrap-timeout}, this method adds the errors of the configuration to {@link #problems}.
   */
  private Optional<ConfigSource> find(SourceLookup lookup) {
    try {
      return Optional.of(lookup.find());
    } catch (InvalidInput failure) {
      if (lookup.timeout().isZero()) {
        problems.addAll(failure);
      }
      return Optional.empty();
    }
  }

  private Serving serving(List<ServeSpec> serves) {
    Duration grace = duration(Flag.SERVE_DRAIN_GRACE, Duration.ofMinutes(10)); // A36 "xDS Protocol"
    Duration spread = duration(Flag.SERVE_DRAIN_SPREAD, Duration.ofSeconds(30));
    boolean sendsPeerHeader =
        value(
            Flag.PEER_HEADER,
            false,
            text -> oneOf(text, List.of(OFF, PEER_HEADER)).equals(PEER_HEADER));
    return new Serving(
        serves,
        new ServeSettings(
            spread.compareTo(grace) < 0 ? spread : grace,
            grace,
            isOn(Flag.SERVE_REQUIRE_RBAC),
            sendsPeerHeader));
  }

  private Connections connections() {
    return new Connections(
        // MIN_CONNECT_TIMEOUT of gRPC's connection-backoff.md
        positive(Flag.CONNECT_TIMEOUT, Duration.ofSeconds(20)),
        durationOrOff(Flag.IDLE_TIMEOUT, Duration.ofMinutes(30)),
        durationOrOff(Flag.KEEPALIVE_TIME, Duration.ZERO), // A8: off by default
        positive(Flag.KEEPALIVE_TIMEOUT, Duration.ofSeconds(20)), // A8
        positive(Flag.FRAME_TIMEOUT, Duration.ofSeconds(30)),
        positive(Flag.UNREAD_TIMEOUT, Duration.ofMinutes(5)));
  }

  private Limits limits(MemoryPlan memory) {
    return new Limits(
        number(Flag.MAX_CONCURRENT_STREAMS, 1000, 1, Integer.MAX_VALUE),
        value(
            Flag.MAX_HEADER_BYTES,
            64 << 10,
            text -> (int) bytes(text, 1 << 10, 16 << 20, (16 << 20) + " bytes")),
        number(Flag.MAX_CONNECTIONS, 10_000, 1, Integer.MAX_VALUE),
        value(
            Flag.MAX_MEMORY,
            memory.peerBytes(),
            text -> bytes(text, 1 << 20, memory.peerBytes(), jvmLimit(memory))),
        number(Flag.MAX_QUEUED_REQUESTS, 10_000, 0, Integer.MAX_VALUE),
        number(Flag.MAX_TARGETS, 100, 1, Integer.MAX_VALUE));
  }

  private Measurement measurement() {
    boolean locality = isOn(Flag.METRIC_LOCALITY);
    boolean areLabelsGiven = given.get(Flag.METRICS_LABELS).isPresent();
    Set<String> labels = new HashSet<>();
    all(Flag.METRICS_LABELS, OptionsReader::labels).forEach(labels::addAll);
    if (labels.contains("none") && labels.size() > 1) {
      problems.add(given.origin(Flag.METRICS_LABELS), "none excludes all labels; give none alone");
    }
    Set<String> methods =
        all(
            Flag.METRIC_METHODS,
            text -> matching(METHOD, text, "a method such as pkg.Service/Method"));
    if (methods.size() > MAX_METHODS) {
      problems.add(
          given.origin(Flag.METRIC_METHODS), "names more than " + MAX_METHODS + " methods");
    }
    Set<String> experimental =
        all(Flag.METRICS_EXPERIMENTAL, text -> oneOf(text, List.of(CALL_DELAYS, ATTEMPT_DELAYS)));
    return new Measurement(
        new Measuring(
            methods,
            areLabelsGiven ? labels.contains(LOCALITY_LABEL) : locality,
            experimental.contains(CALL_DELAYS),
            experimental.contains(ATTEMPT_DELAYS),
            false),
        OPTIONAL_LABELS.stream()
            .filter(label -> areLabelsGiven && !labels.contains(label))
            .collect(Collectors.toSet()),
        valueOrOff(Flag.OTLP, Optional.empty(), OptionsReader::endpoint));
  }

  private static Set<String> labels(String text) {
    return Arrays.stream(text.split(",", -1))
        .map(name -> oneOf(name.strip(), LABEL_WORDS))
        .flatMap(name -> name.equals("all") ? OPTIONAL_LABELS.stream() : Stream.of(name))
        .collect(Collectors.toSet());
  }

  private <T> Set<T> all(Flag flag, Function<String, T> parser) {
    Set<T> all = new HashSet<>();
    for (String text : given.values(flag)) {
      problems.parse(given.origin(flag), text, parser).ifPresent(all::add);
    }
    return all;
  }

  private <T> T value(Flag flag, T defaultValue, Function<String, T> parser) {
    T value =
        given
            .get(flag)
            .flatMap(text -> problems.parse(text.origin(), text.last(), parser))
            .orElse(defaultValue);
    values.put(flag, value);
    return value;
  }

  private <T> Optional<T> valueOrOff(
      Flag flag, Optional<T> defaultValue, Function<String, T> parser) {
    return value(
        flag,
        defaultValue,
        text -> text.equals(OFF) ? Optional.empty() : Optional.of(parser.apply(text)));
  }

  /** Returns the values of all flags for display; called after all flags have been read. */
  private Map<String, Object> settings() {
    Map<String, Object> settings = new HashMap<>();
    for (Flag flag : Flag.values()) {
      Optional<GivenFlags.Given> texts = given.get(flag);
      Object value = values.get(flag);
      if (value instanceof Number
          || (value instanceof Boolean && flag.arity() == Flag.Arity.SWITCH)) {
        settings.put(flag.key(), value);
      } else if (texts.isPresent()) {
        List<String> shown = texts.get().values().stream().map(PlainText::withoutUser).toList();
        settings.put(
            flag.key(), flag.arity() == Flag.Arity.MANY ? shown : shown.get(shown.size() - 1));
      } else if (value != null) {
        settings.put(flag.key(), defaultText(value));
      }
    }
    return settings;
  }

  private static String defaultText(Object value) {
    if (value instanceof Duration duration) {
      return DurationText.format(duration);
    }
    if (value instanceof Enum<?> word) {
      return word.name().toLowerCase(Locale.ROOT);
    }
    if (value instanceof AuthorityMode) {
      return "target";
    }
    return value instanceof Optional<?> address && address.isPresent()
        ? address.get().toString()
        : OFF;
  }

  private Optional<ListenAddress.Tcp> address(
      PortsReader ports, Flag flag, String subject, Optional<ListenAddress.Tcp> defaultValue) {
    Optional<ListenAddress.Tcp> address = valueOrOff(flag, defaultValue, ListenAddress::parseTcp);
    address.ifPresent(each -> ports.reserve(given.origin(flag), subject, each));
    return address;
  }

  private boolean isOn(Flag flag) {
    return value(flag, false, text -> oneOf(text, List.of(true, false)));
  }

  private Duration duration(Flag flag, Duration defaultValue) {
    return value(flag, defaultValue, DurationText::parse);
  }

  private Duration durationOrOff(Flag flag, Duration defaultValue) {
    return value(
        flag, defaultValue, text -> text.equals(OFF) ? Duration.ZERO : DurationText.parse(text));
  }

  private Duration positive(Flag flag, Duration defaultValue) {
    return value(
        flag,
        defaultValue,
        text -> {
          Duration duration = DurationText.parse(text);
          require(!duration.isZero(), "\"" + text + "\" must be more than zero");
          return duration;
        });
  }

  private int number(Flag flag, int defaultValue, int min, int max) {
    return value(
        flag,
        defaultValue,
        text -> {
          long number = text.matches("[0-9]{1,18}") ? Long.parseLong(text) : -1;
          require(
              number >= min && number <= max,
              "\"" + text + "\" is not a whole number from " + min + " to " + max);
          return (int) number;
        });
  }

  private static long bytes(String text, long min, long max, String maxText) {
    long bytes = ByteSize.parse(text);
    require(bytes >= min, "\"" + text + "\" is less than " + min + " bytes");
    require(bytes <= max, "\"" + text + "\" is more than " + maxText);
    return bytes;
  }

  /** Describes the JVM's memory limit, which {@code --max-memory} must not exceed. */
  private static String jvmLimit(MemoryPlan memory) {
    return ("the JVM has for it, %s: %s of the heap and %s for buffers; raise the container's"
            + " memory limit, or the JVM's limits in OUTRIGGER_JAVA_OPTS")
        .formatted(
            ByteSize.format(memory.peerBytes()),
            ByteSize.format(memory.peerHeapBytes()),
            ByteSize.format(memory.peerDirectBytes()));
  }

  private <E extends Enum<E>> E oneOf(Flag flag, E defaultValue) {
    List<E> all = List.of(defaultValue.getDeclaringClass().getEnumConstants());
    return value(flag, defaultValue, text -> oneOf(text, all));
  }

  /** Returns the element with the given name, regardless of upper and lower case. */
  private static <E> E oneOf(String text, List<E> all) {
    return all.stream()
        .filter(each -> each.toString().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    all.stream()
                        .map(each -> each.toString().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(", ", "\"" + text + "\" is none of ", ""))));
  }

  private static String matching(Pattern form, String text, String expected) {
    require(form.matcher(text).matches(), "\"" + text + "\" is not " + expected);
    return text;
  }

  private static AuthorityMode authority(String text) {
    if (text.equals("target")) {
      return new AuthorityMode.OfTarget();
    }
    if (text.equals("preserve")) {
      return new AuthorityMode.Preserve();
    }
    return new AuthorityMode.Fixed(
        matching(AUTHORITY, text, "target, preserve, or an authority such as orders.example:443"));
  }

  private static AccessLog accessLog(String text) {
    if (text.equals("-")) {
      return new AccessLog.Stdout();
    }
    require(!text.isEmpty(), "is empty; give a file, - for stdout, or off");
    Path file = Path.of(text).toAbsolutePath();
    Path folder = file.getParent();
    require(!Files.isDirectory(file), "\"" + text + "\" is a folder; give a file, or - for stdout");
    require(
        Files.exists(file) ? Files.isWritable(file) : folder != null && Files.isWritable(folder),
        "cannot write " + text + "; give a file in a folder that exists and can be written to");
    return new AccessLog.ToFile(Path.of(text));
  }

  private static TransportKind transport(String text) {
    // Old command lines may still name io_uring, which was removed.
    return text.equals("io_uring")
        ? TransportKind.AUTO
        : oneOf(text, List.of(TransportKind.values()));
  }

  private static String endpoint(String text) {
    String expected = "\"" + text + "\" is not an endpoint such as http://collector:4317";
    try {
      URI uri = new URI(text);
      require(
          uri.getHost() != null && List.of("http", "https").contains(uri.getScheme()), expected);
      require(
          uri.getPort() <= 65535, "\"" + text + "\": port " + uri.getPort() + " is above 65535");
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(expected, e);
    }
    return text;
  }
}
