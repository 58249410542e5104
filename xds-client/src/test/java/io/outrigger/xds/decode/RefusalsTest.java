package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.xds.ResourceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tables of ../docs/how-it-works/refusals.md: the refusals with their source, and all that goes
 * on.
 */
class RefusalsTest {
  private static final Path PAGE = Path.of("../docs/how-it-works/refusals.md");
  private static final Path DECODERS = Path.of("src/main/java/io/outrigger/xds/decode");

  /** These read files of an operator, where an error is no NACK, or count errors. */
  private static final Set<String> OF_FILES =
      Set.of(
          "FieldErrors.java",
          "JsonDiagnosis.java",
          "OverlayDecoder.java",
          "PatchReader.java",
          "ResourceJson.java");

  /** The sources of refusals that no example in JSON within another resource can show. */
  private static final Map<String, String> ELSEWHERE =
      Map.of(
          "is not readable: ", "bytes that are no protobuf message: java, go",
          "not a readable ", "bytes that are no protobuf message: java, go",
          "is not a legal duration (seconds ", "a duration that JSON cannot express: java, go",
          "has unknown fields: ", "xds-0075",
          "resource #", "a resource without a name: A88",
          " of certificate provider ", "a plugin of the bootstrap: A29-02",
          "is empty, but the cluster's name cannot name endpoints", "A47-06",
          "policies nested more than ", "A52-01");

  /** A call that reports an error; the group is its arguments. */
  private static final Pattern CALL =
      Pattern.compile("(?:[eE]rrors|here|Child|\\))\\s*\\.(?:add|refuse)\\(([^;]*?)\\);");

  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final String TYPE = "\"@type\": \"type.googleapis.com/";
  private static final String ROUTER =
      "{name: r, typed_config: {" + TYPE + "envoy.extensions.filters.http.router.v3.Router\"}}";
  private static final String RDS = "rds: {route_config_name: r, config_source: {ads: {}}}";
  private static final String EDS =
      "name: c, type: EDS, eds_cluster_config: {eds_config: {ads: {}}}";
  private static final String SERVER =
      "{name: l, address: {socket_address: {address: \"0.0.0.0\", port_value: 80}}, ";
  private static final String MANAGER_START =
      "{name: m, typed_config: {"
          + TYPE
          + "envoy.extensions.filters.network.http_connection_manager.v3"
          + ".HttpConnectionManager\", "
          + RDS
          + ", http_filters: [";
  private static final String MANAGER = MANAGER_START + ROUTER + "]";
  private static final String HOSTS = "virtual_hosts: [{domains: [\"*\"], ";

  /** Where an example stands, and the path of that place. */
  private record Kind(ResourceType<?> type, String before, String after, String path) {}

  private static final Map<String, Kind> KINDS =
      Map.ofEntries(
          Map.entry("listener", new Kind(ResourceType.LISTENER, "{", "}", "")),
          Map.entry("manager", manager("", ", http_filters: [" + ROUTER + "]", "")),
          Map.entry("filters", manager(RDS + ", http_filters: [", "]", ".http_filters")),
          Map.entry(
              "fault", filter("envoy.extensions.filters.http.fault.v3.HTTPFault\", ", "}", "")),
          Map.entry(
              "session",
              filter(
                  "envoy.extensions.filters.http.stateful_session.v3.StatefulSession\","
                      + " session_state: {name: s, typed_config: {"
                      + TYPE
                      + "envoy.extensions.http.stateful_session.cookie.v3"
                      + ".CookieBasedSessionState\", ",
                  "}}}",
                  ".session_state.typed_config")),
          Map.entry(
              "override",
              new Kind(
                  ResourceType.ROUTE,
                  "{name: r, " + HOSTS + "typed_per_filter_config: {f: {",
                  "}}}]}",
                  "virtual_hosts[0].typed_per_filter_config[\"f\"]")),
          Map.entry("server", new Kind(ResourceType.LISTENER, SERVER, "}", "")),
          Map.entry("chain", chain("filters: [" + MANAGER + "}}], ", "", "")),
          Map.entry("network", chain("filters: [", "]", ".filters")),
          Map.entry(
              "downstream",
              chain(
                  "filters: ["
                      + MANAGER
                      + "}}], transport_socket: {name: envoy.transport_sockets.tls, typed_config: {"
                      + TYPE
                      + "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext\", ",
                  "}}",
                  ".transport_socket.typed_config")),
          Map.entry("rbac", rbac("", "", "")),
          Map.entry("policies", rbac("rules: {policies: {p: {", "}}}", ".rules.policies[\"p\"]")),
          Map.entry(
              "permission",
              rbac(
                  "rules: {policies: {p: {permissions: [{",
                  "}], principals: [{any: true}]}}}",
                  ".rules.policies[\"p\"].permissions[0]")),
          Map.entry(
              "principal",
              rbac(
                  "rules: {policies: {p: {permissions: [{any: true}], principals: [{",
                  "}]}}}",
                  ".rules.policies[\"p\"].principals[0]")),
          Map.entry("routes", new Kind(ResourceType.ROUTE, "{name: r, ", "}", "")),
          Map.entry("route", route("", "", "")),
          Map.entry("match", route("route: {cluster: c}, match: {", "}", ".match")),
          Map.entry("action", route("match: {prefix: \"\"}, route: {", "}", ".route")),
          Map.entry("trusted", route("match: {prefix: \"\"}, route: {", "}", ".route")),
          Map.entry("cluster", new Kind(ResourceType.CLUSTER, "{name: c, ", "}", "")),
          Map.entry("eds", new Kind(ResourceType.CLUSTER, "{" + EDS + ", ", "}", "")),
          Map.entry(
              "policy",
              new Kind(
                  ResourceType.CLUSTER,
                  "{"
                      + EDS
                      + ", load_balancing_policy: {policies: [{typed_extension_config: {name: p,"
                      + " typed_config: {",
                  "}}}]}}",
                  "load_balancing_policy.policies")),
          Map.entry(
              "tls",
              new Kind(
                  ResourceType.CLUSTER,
                  "{"
                      + EDS
                      + ", transport_socket: {name: t, typed_config: {"
                      + TYPE
                      + "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext\", ",
                  "}}}",
                  "transport_socket.typed_config")),
          Map.entry(
              "endpoints",
              new Kind(ResourceType.ENDPOINT, "{cluster_name: c, endpoints: [", "]}", "")),
          Map.entry(
              "endpoint",
              new Kind(
                  ResourceType.ENDPOINT,
                  "{cluster_name: c, endpoints: [{locality: {}, load_balancing_weight: 1,"
                      + " lb_endpoints: [{",
                  "}]}]}",
                  "endpoints[0].lb_endpoints[0]")),
          Map.entry(
              "drops",
              new Kind(
                  ResourceType.ENDPOINT,
                  "{cluster_name: c, policy: {drop_overloads: [",
                  "]}}",
                  "")));

  private static Kind manager(String before, String after, String path) {
    return new Kind(
        ResourceType.LISTENER,
        "{name: l, api_listener: {api_listener: {"
            + TYPE
            + ConnectionManagerDecoder.TYPE
            + "\", "
            + before,
        after + "}}}",
        "api_listener.api_listener" + path);
  }

  private static Kind chain(String before, String after, String path) {
    return new Kind(
        ResourceType.LISTENER,
        SERVER + "filter_chains: [{" + before,
        after + "}]}",
        "filter_chains[0]" + path);
  }

  private static Kind rbac(String before, String after, String path) {
    return chain(
        "filters: ["
            + MANAGER_START
            + "{name: f, typed_config: {"
            + TYPE
            + RbacDecoder.TYPE
            + "\", "
            + before,
        after + "}}, " + ROUTER + "]}}]",
        ".filters[0].typed_config.http_filters[0].typed_config" + path);
  }

  private static Kind filter(String before, String after, String path) {
    return manager(
        RDS + ", http_filters: [{name: f, typed_config: {" + TYPE + before,
        after + "}, " + ROUTER + "]",
        ".http_filters[0].typed_config" + path);
  }

  private static Kind route(String before, String after, String path) {
    return new Kind(
        ResourceType.ROUTE,
        "{name: r, " + HOSTS + "routes: [{" + before,
        after + "}]}]}",
        "virtual_hosts[0].routes[0]" + path);
  }

  /** A line of a table. */
  record Row(String in, String example, String field, String last) {
    String json() {
      Kind kind = KINDS.get(in);
      assertThat(kind).as(in).isNotNull();
      return kind.before() + example + kind.after();
    }

    /** Of policies the place depends on whether the entry or the list is meant. */
    boolean isPlace(String path) {
      String base = KINDS.get(in).path();
      String rest = path.startsWith(base) ? path.substring(base.length()) : "?";
      rest = rest.replace("[0].typed_extension_config.typed_config", "");
      return rest.replaceFirst("^\\.", "").equals(field);
    }

    @Override
    public String toString() {
      return in + " " + example + " -> " + field;
    }
  }

  private static Stream<Row> rows(String heading) throws IOException {
    String page = Files.readString(PAGE);
    int start = page.indexOf("## " + heading);
    int end = page.indexOf("\n## ", start + 1);
    return page.substring(start, end < 0 ? page.length() : end)
        .lines()
        .filter(
            line -> line.startsWith("| ") && !line.startsWith("| in ") && !line.startsWith("| -"))
        .map(RefusalsTest::row);
  }

  private static Row row(String line) {
    String[] cells = line.substring(2, line.length() - 2).split(" \\| |\\| ", -1);
    assertThat(cells).as(line).hasSize(4);
    String example = cells[1].strip().replace("`sni: ` and 256 letters", sni()).replace("`", "");
    return new Row(cells[0], example, cells[2].replace("`", "").strip(), cells[3]);
  }

  private static String sni() {
    return "sni: "
        + "a".repeat(256)
        + ", common_tls_context: {validation_context: {system_root_certs: {}}}";
  }

  static Stream<Row> refused() throws IOException {
    return rows("Refused");
  }

  static Stream<Row> goingOn() throws IOException {
    return rows("Accepted with a warning");
  }

  @ParameterizedTest
  @MethodSource("refused")
  void eachRefusalHasASource(Row row) {
    Decoded<?> decoded = decode(row, Decoding.CONTEXT);

    assertThat(row.last()).isNotBlank();
    assertThat(decoded.invalid()).as("must be refused").hasSize(1);
    assertThat(decoded.invalid().values().iterator().next().errors())
        .extracting(FieldError::path)
        .anyMatch(row::isPlace);
  }

  @ParameterizedTest
  @MethodSource("goingOn")
  void theRestOfTheResourceGoesOn(Row row) {
    boolean trusted = row.in().equals("trusted");

    Decoded<?> decoded = decode(row, trusted ? Decoding.TRUSTED : Decoding.CONTEXT);

    assertThat(decoded.invalid()).isEmpty();
    assertThat(decoded.valid()).hasSize(1);
    assertThat(decoded.valid().values().iterator().next().warnings())
        .extracting(FieldError::path)
        .anyMatch(row::isPlace);
  }

  /** A decoder that refuses something new needs a line, and thereby a source. */
  @Test
  void eachRefusalOfADecoderIsInTheTable() throws IOException {
    String found =
        refused()
            .flatMap(row -> decode(row, Decoding.CONTEXT).invalid().values().stream())
            .flatMap(invalid -> invalid.errors().stream())
            .map(FieldError::reason)
            .collect(Collectors.joining("\n"));
    List<String> missing = new ArrayList<>();
    try (Stream<Path> files = Files.list(DECODERS)) {
      for (Path file : files.filter(each -> !OF_FILES.contains(name(each))).sorted().toList()) {
        Matcher call = CALL.matcher(Files.readString(file));
        while (call.find()) {
          String text = longestPart(call.group(1));
          if (!found.contains(text) && !ELSEWHERE.containsKey(text)) {
            missing.add(name(file) + ": " + text);
          }
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  private static String name(Path file) {
    return file.getFileName().toString();
  }

  /** Returns the longest constant text of the arguments of a call. */
  private static String longestPart(String arguments) {
    return LITERAL
        .matcher(arguments)
        .results()
        .flatMap(literal -> Stream.of(literal.group(1).split("%[a-z,]+")))
        .max(Comparator.comparing(String::length))
        .orElse("")
        .replace("\\\"", "\"");
  }

  @Test
  void theTablesAreThere() throws IOException {
    assertThat(refused()).hasSizeGreaterThan(90);
    assertThat(goingOn()).hasSizeGreaterThan(20);
  }

  private static Decoded<?> decode(Row row, DecodeContext context) {
    ResourceType<?> type = KINDS.get(row.in()).type();
    return ResourceDecoder.decode(type, List.of(Decoding.any(type, row.json())), context);
  }
}
