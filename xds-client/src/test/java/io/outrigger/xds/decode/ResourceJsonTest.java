package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.decode.Decoding.CONTEXT;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.Descriptor;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResourceJsonTest {
  @Test
  void thePageListsTheExtensionsThatFilesMayHave() throws IOException {
    String page = Files.readString(Path.of("../docs/use/configuration.md"));

    assertThat(page.lines().filter(line -> line.startsWith("* `envoy.extensions.")))
        .map(line -> line.replaceAll("[*` ]", ""))
        .containsExactlyInAnyOrderElementsOf(
            KnownTypes.NAMES.stream()
                .filter(name -> name.startsWith("envoy.extensions."))
                .toList());
  }

  /** As protobuf has it: only an {@code Any} says its type. */
  @Test
  void aTypeInAnObjectThatHasNoneIsRefused() {
    ResourceJson.Document document =
        ResourceJson.parse(
            """
            {"resources":[{"@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster",
              "name":"pay","type":"EDS","eds_cluster_config":{
                "@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster",
                "eds_config":{"ads":{}}}}]}""");

    assertThat(document.resources()).isEmpty();
    assertThat(document.errors()).singleElement().asString().contains("Cluster \"pay\"", "@type");
  }

  @Test
  void routesAsIstiodSendsThemAreUnderstood() throws IOException {
    ResourceJson.Document document = ResourceJson.parse(istiodRoutes());

    assertThat(document.errors()).isEmpty();
    var decoded = ResourceDecoder.decode(ROUTE, document.resources(), CONTEXT);
    assertThat(decoded.hasErrors()).isFalse();
    var table =
        Objects.requireNonNull(decoded.valid().get("outbound|7070||echo.default.svc.cluster.local"))
            .value();
    var host = table.virtualHostFor("echo.default:7070").orElseThrow();
    assertThat(host.domains()).hasSize(10);
    assertThat(host.routes()).hasSize(2);
    var canary = (RouteAction.Forward) host.routes().get(0).action();
    assertThat(canary.clusters())
        .isEqualTo(new ClusterChoice.Single("outbound|7070|v2|echo.default.svc.cluster.local"));
    assertThat(canary.timeout())
        .isEqualTo(
            new RouteTimeout(
                Optional.of(Duration.ofSeconds(2)),
                Optional.empty(),
                Optional.of(
                    new RouteTimeout.StreamDuration(
                        Optional.of(Duration.ofSeconds(2)), Optional.empty()))));
    var split = (RouteAction.Forward) host.routes().get(1).action();
    assertThat(((ClusterChoice.Weighted) split.clusters()).clusters())
        .extracting(ClusterChoice.WeightedCluster::weight)
        .containsExactly(80L, 20L);
    assertThat(split.timeout().timeout()).contains(Duration.ZERO);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | not JSON: ",
        "{ | not JSON: End of input at line 1 column 2",
        "{\"resources\": []} x | not JSON: unexpected text at line 1 column 20",
        "{'resources': []} | not JSON: unexpected text at line 1 column 3",
        "{\"resources\": [],} | not JSON: ",
        "{\"resources\": [], \"resources\": []} | not JSON: a name twice in one object: $.resources",
        "{\"resources\": [{\"a\": {\"b\": 1, \"c\": 2, \"b\": 3}}]} | not JSON: a name twice in one"
            + " object: $.resources[0].a.b",
        "[] | must be an object with a list, as {\"resources\":[…]}",
        "{} | must be an object with a list, as {\"resources\":[…]}",
        "{\"resources\": {}} | must be an object with a list, as {\"resources\":[…]}",
        "{\"resources\": [1]} | resources[0]: must be an object with \"@type\"",
        "{\"resources\": [{\"name\": \"x\"}]} | resources[0]: must be an object with \"@type\"",
        "{\"resources\": [{\"@type\": 1}]} | resources[0]: must be an object with \"@type\"",
        "{\"resources\": [{\"@type\": \"nonsense\"}]}"
            + " | resources[0] (nonsense without name): @type: unknown type \"nonsense\"; check its spelling",
        "{\"resources\": [{\"@type\": \"type.googleapis.com/a.B\", \"name\": \"n\"}]}"
            + " | resources[0] (B \"n\"): @type: unknown type \"type.googleapis.com/a.B\"; check its spelling",
        "{\"resources\": [{\"@type\": \"type.googleapis.com/envoy.config.route.v3.Route\"}]}"
            + " | resources[0] (Route without name):"
            + " \"type.googleapis.com/envoy.config.route.v3.Route\" is not a resource of its own",
      })
  void documentThatIsNoneIsRefused(String json, String error) {
    var document = ResourceJson.parse(json);

    assertThat(document.resources()).isEmpty();
    assertThat(document.errors()).singleElement().asString().startsWith(error);
  }

  @Test
  void everyMistakeIsReportedWithItsPathAndOtherResourcesAreRead() {
    var document =
        ResourceJson.parse(
            """
            {"version_info": "7", "resources": [
              {"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "good"},
              {"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "pay",
               "lb_polcy": "ROUND_ROBIN",
               "type": "EDSS",
               "connectTimeout": "5 seconds",
               "circuit_breakers": {"thresholds": [{}, {"max_requests": "many", "x": 1}]},
               "typed_extension_protocol_options": {"k": {
                 "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                 "commonn": {}}},
               "transport_socket": {"typed_config": {"@type": "type.googleapis.com/no.Such"}},
               "eds_cluster_config": []},
              {"@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
               "clusterName": "good-eds"}]}
            """);

    assertThat(document.resources())
        .extracting(any -> TypedConfig.typeName(any.getTypeUrl()))
        .containsExactly(
            "envoy.config.cluster.v3.Cluster", "envoy.config.endpoint.v3.ClusterLoadAssignment");
    String place = "resources[1] (Cluster \"pay\"): ";
    assertThat(document.errors().stream().map(FieldError::toString))
        .satisfiesExactly(
            e ->
                assertThat(e)
                    .isEqualTo(
                        place
                            + "lb_polcy: unknown field of envoy.config.cluster.v3.Cluster; did you"
                            + " mean lb_policy?"),
            e ->
                assertThat(e)
                    .isEqualTo(
                        place
                            + "type: \"EDSS\" is none of STATIC, STRICT_DNS, LOGICAL_DNS, EDS,"
                            + " ORIGINAL_DST"),
            e ->
                assertThat(e)
                    .isEqualTo(
                        place
                            + "connectTimeout: \"5 seconds\" is not a duration such as \"5s\" or"
                            + " \"0.25s\""),
            e ->
                assertThat(e)
                    .startsWith(place + "circuit_breakers.thresholds[1].max_requests: ")
                    .contains("many"),
            e ->
                assertThat(e)
                    .isEqualTo(
                        place
                            + "circuit_breakers.thresholds[1].x: unknown field of"
                            + " envoy.config.cluster.v3.CircuitBreakers.Thresholds"),
            e ->
                assertThat(e)
                    .isEqualTo(
                        place
                            + "typed_extension_protocol_options[\"k\"].commonn: unknown field of"
                            + " envoy.extensions.upstreams.http.v3.HttpProtocolOptions"),
            e -> assertThat(e).isEqualTo(place + "eds_cluster_config: must be an object"));
  }

  @Test
  void whatAControlPlaneMayLeaveUnreadIsLeftUnreadInFilesToo() {
    String compressor =
        "type.googleapis.com/envoy.extensions.filters.http.compressor.v3.Compressor";

    assertThat(errorsOf(listener(compressor, true))).isEmpty();
    assertThat(errorsOf(listener(compressor, false)))
        .singleElement()
        .asString()
        .contains("envoy.extensions.filters.http.compressor.v3.Compressor");
  }

  @Test
  void typesInTheValuesOfMetadataAreOnlyText() {
    var document =
        ResourceJson.parse(
            """
            {"resources": [{"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster",
              "name": "c", "metadata": {"filter_metadata": {"x": {"@type": "a.B", "k": 1}}},
              "transport_socket": {"typed_config": {"@type": "type.googleapis.com/no.Such"}}}]}
            """);

    assertThat(document.errors()).isEmpty();
    assertThat(ResourceJson.print(raw(document.resources().get(0))))
        .contains("\"x\":{\"@type\":\"a.B\",\"k\":1");
  }

  /** With a filter of that type, and tracing of a type that nothing here knows. */
  private static String listener(String filter, boolean optional) {
    return """
    {"resources": [{"@type": "type.googleapis.com/envoy.config.listener.v3.Listener", "name": "l",
      "api_listener": {"api_listener": {
        "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "tracing": {"provider": {"name": "zipkin", "typed_config": {
          "@type": "type.googleapis.com/envoy.config.trace.v3.ZipkinConfig",
          "collector_cluster": "zipkin", "collector_endpoint": "/api/v2/spans"}}},
        "route_config": {"virtual_hosts": []},
        "http_filters": [
          {"name": "c", "is_optional": %s, "typed_config": {"@type": "%s",
            "request_direction_config": {"common_config": {"enabled": {"default_value": true}}}}},
          {"name": "r", "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}}]}
    """
        .formatted(optional, filter);
  }

  private static List<String> errorsOf(String json) {
    var document = ResourceJson.parse(json);
    assertThat(document.errors()).isEmpty();
    var decoded =
        ResourceDecoder.decode(ResourceType.LISTENER, document.resources(), Decoding.CONTEXT);
    return decoded.invalid().values().stream().flatMap(each -> each.texts().stream()).toList();
  }

  private static RawResource raw(Any any) {
    return new RawResource(any.getTypeUrl(), any.getValue().toByteArray());
  }

  @Test
  void wrappedResourceIsUnwrappedAndOtherUrlPrefixesAreAccepted() {
    var document =
        ResourceJson.parse(
            """
            {"resources": [{"@type": "type.googleapis.com/envoy.service.discovery.v3.Resource",
              "name": "outer", "resource":
                {"@type": "example.com/envoy.config.cluster.v3.Cluster", "name": "inner"}}]}
            """);

    assertThat(document.errors()).isEmpty();
    assertThat(document.resources())
        .containsExactly(Any.pack(Cluster.newBuilder().setName("inner").build()));
  }

  @Test
  void typesThatPeopleUseAreKnown() {
    for (String type :
        List.of(
            ConnectionManagerDecoder.TYPE,
            FilterDecoders.ROUTER,
            FaultDecoder.TYPE,
            HttpFilterDecoder.FILTER_CONFIG,
            ClusterSourceDecoder.AGGREGATE,
            ClusterDecoder.HTTP_PROTOCOL_OPTIONS,
            "envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer",
            PolicyDecoderRegistry.WRR_LOCALITY.typeName(),
            PolicyDecoderRegistry.ROUND_ROBIN.typeName(),
            PolicyDecoderRegistry.PICK_FIRST.typeName(),
            "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash",
            "envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest",
            "envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3"
                + ".ClientSideWeightedRoundRobin",
            "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
            "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
            "envoy.extensions.filters.http.stateful_session.v3.StatefulSession",
            "envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute",
            "envoy.extensions.filters.http.rbac.v3.RBAC",
            "xds.type.v3.TypedStruct",
            "udpa.type.v1.TypedStruct",
            "google.protobuf.StringValue",
            "google.protobuf.UInt32Value",
            "google.protobuf.Struct",
            "google.protobuf.Duration",
            "google.protobuf.Any")) {
      assertThat(KnownTypes.all().find(type)).as(type).isNotNull();
    }
    for (ResourceType<?> type : ResourceType.ALL) {
      assertThat(KnownTypes.all().find(TypedConfig.typeName(type.typeUrl()))).isNotNull();
    }
  }

  @Test
  void aKnownTypeIsListedUnderItsOwnName() {
    for (String name : KnownTypes.NAMES) {
      assertThat(KnownTypes.all().find(name)).as(name).isNotNull();
    }
  }

  /** The jar of the distribution has only the generated classes that bytecode refers to. */
  @Test
  void theDistributionHasTheClassOfEachKnownType() throws IOException, URISyntaxException {
    Path classes =
        Path.of(KnownTypes.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    var bytecode = new StringBuilder();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
        bytecode.append(Files.readString(file, ISO_8859_1));
      }
    }

    for (String name : KnownTypes.NAMES) {
      Descriptor type = KnownTypes.all().find(name);
      String generated = type.getFile().getOptions().getJavaPackage() + "." + type.getName();
      boolean isUsed = bytecode.indexOf(generated.replace('.', '/')) >= 0;
      assertThat(isUsed || name.equals(RandomSubsettingMessage.TYPE)).as(name).isTrue();
    }
  }

  static String istiodRoutes() throws IOException {
    try (InputStream in = ResourceJsonTest.class.getResourceAsStream("istiod-routes.json")) {
      return new String(
          Objects.requireNonNull(in, "istiod-routes.json").readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
