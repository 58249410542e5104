package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.HostRewrite;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.RouteTimeout.StreamDuration;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouteDecoderTest {
  private static final String AT = "virtual_hosts[0].routes[0].";

  @Test
  void virtualHostsAndRoutesKeepNamesAndOrder() {
    var table =
        valid(
            ROUTE,
            """
            {"name": "table", "virtual_hosts": [
              {"name": "one", "domains": ["a", "*.b"], "routes": [
                {"name": "first", "match": {"path": "/x"}, "route": {"cluster": "c1"}},
                {"match": {"prefix": "/"}, "route": {"cluster": "c2"}}]},
              {"name": "two", "domains": ["*"]}]}
            """);

    assertThat(table.name()).isEqualTo("table");
    assertThat(table.virtualHosts()).extracting("name").containsExactly("one", "two");
    assertThat(table.virtualHosts().get(0).domains()).containsExactly("a", "*.b");
    assertThat(table.virtualHosts().get(0).routes())
        .extracting(Route::name, Route::index, route -> single(route.action()))
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("first", 0, "c1"),
            org.assertj.core.groups.Tuple.tuple("", 1, "c2"));
    assertThat(table.virtualHosts().get(1).routes()).isEmpty();
  }

  @Test
  @Conformance("A28-05")
  void routeWithQueryParametersIsSkippedWhateverElseItSays() {
    var routes =
        routes(
            """
            {"match": {"prefix": "", "query_parameters": [{"name": "q"}]},
             "route": {"cluster": "c1"}},
            {"match": {"query_parameters": [{"name": "q"}]}},
            {"match": {"prefix": ""}, "route": {"cluster": "c2"}}
            """);

    assertThat(routes).singleElement().satisfies(r -> assertThat(r.index()).isEqualTo(2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"cluster_header\": \"x-cluster\"}",
        "{\"inline_cluster_specifier_plugin\": {\"extension\": {\"name\": \"x\"}}}",
        "{}",
        "{\"weighted_clusters\": {\"clusters\": [{\"cluster_header\": \"x\", \"weight\": 1}]}}",
      })
  @Conformance("A31-40")
  void routeWithAnotherKindOfClusterSpecifierIsSkipped(String action) {
    var routes =
        routes(
            """
            {"match": {"prefix": ""}, "route": %s},
            {"match": {"prefix": ""}, "route": {"cluster": "later"}}
            """
                .formatted(action));

    assertThat(routes).extracting(route -> single(route.action())).containsExactly("later");
  }

  @Test
  @Conformance("A28-13")
  void anOptionalPluginThatIsNotSupportedSkipsTheRoutesThatNameIt() {
    var table = valid(ROUTE, withPlugins("", PLUGIN.formatted("rls", true)));

    assertThat(table.virtualHosts().get(0).routes())
        .extracting(route -> single(route.action()))
        .containsExactly("later");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"cluster\": \"c\"                       | rls   | false",
        "\"cluster_specifier_plugin\": \"rls\"    | rls   | false",
        "\"cluster_specifier_plugin\": \"other\"  | other | false",
      })
  @Conformance("A28-13")
  void aPluginThatIsNotSupportedIsRefusedUnlessOptionalNamedOrNot(
      String action, String name, boolean optional) {
    assertThat(errors(ROUTE, withPlugins(action, PLUGIN.formatted(name, optional))))
        .containsExactly(
            "cluster_specifier_plugins[0].extension.typed_config:"
                + " \"envoy.extensions.filters.http.router.v3.Router\" is not supported as a cluster"
                + " specifier");
  }

  @Test
  @Conformance("A28-13")
  void aRouteThatNamesNoPluginOfTheTableIsRefused() {
    assertThat(
            errors(
                ROUTE,
                withPlugins(
                    "\"cluster_specifier_plugin\": \"mine\"", PLUGIN.formatted("rls", true))))
        .containsExactly(
            AT + "route.cluster_specifier_plugin: \"mine\" is not in cluster_specifier_plugins");
  }

  @Test
  @Conformance("A28-13")
  void pluginsOfATableInsideAListenerAreReadTheSame() {
    String listener =
        """
        {"name": "l", "api_listener": {"api_listener": {
          "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
          "route_config": %s,
          "http_filters": [{"name": "router", "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}}
        """
            .formatted(withPlugins("", PLUGIN.formatted("rls", false)));

    assertThat(errors(LISTENER, listener))
        .singleElement()
        .asString()
        .contains("route_config.cluster_specifier_plugins[0]");
  }

  /** The type is any that the table cannot use; the field takes every type. */
  private static final String PLUGIN =
      """
      {"extension": {"name": "%s", "typed_config": {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}},
       "is_optional": %s}
      """;

  /** A route to a plugin, or with {@code action}, and a later one for everything. */
  private static String withPlugins(String action, String plugins) {
    return """
    {"name": "table", "cluster_specifier_plugins": [%s],
     "virtual_hosts": [{"name": "h", "domains": ["*"], "routes": [
       {"match": {"prefix": "/a"}, "route": {%s}},
       {"match": {"prefix": ""}, "route": {"cluster": "later"}}]}]}
    """
        .formatted(plugins, action.isEmpty() ? "\"cluster_specifier_plugin\": \"rls\"" : action);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "redirect              | \"redirect\": {\"host_redirect\": \"x\"}",
        "direct_response       | \"direct_response\": {\"status\": 200}",
        "filter_action         | \"filter_action\": {}",
        "unknown               | \"name\": \"n\"",
      })
  @Conformance("A31-39")
  void actionOfAnotherKindIsKeptSoThatLaterRoutesAreNotTaken(String kind, String action) {
    var routes =
        routes(
            """
            {"match": {"prefix": ""}, %s},
            {"match": {"prefix": ""}, "route": {"cluster": "later"}}
            """
                .formatted(action));

    assertThat(routes).hasSize(2);
    assertThat(routes.get(0).action()).isEqualTo(new RouteAction.Unsupported(kind));
  }

  @Test
  @Conformance("A36-12")
  void actionOfServersIsRead() {
    var routes = routes("{\"match\": {\"prefix\": \"\"}, \"non_forwarding_action\": {}}");

    assertThat(routes.get(0).action()).isEqualTo(new RouteAction.NonForwarding());
  }

  @Test
  @Conformance({"A31-35", "A28-12"})
  void weightsAreTakenAsTheyAreWithoutThoseOfZeroAndTheOldTotalIsIgnored() {
    var choice =
        forward(
                """
                "weighted_clusters": {"total_weight": 7, "clusters": [
                  {"name": "a", "weight": 75}, {"name": "b", "weight": 25},
                  {"name": "zero", "weight": 0}, {"name": "unset"}, {}, {"name": "a", "weight": 1}]}
                """)
            .clusters();

    assertThat(((ClusterChoice.Weighted) choice).clusters())
        .extracting(ClusterChoice.WeightedCluster::cluster, c -> c.weight())
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("a", 75L),
            org.assertj.core.groups.Tuple.tuple("b", 25L),
            org.assertj.core.groups.Tuple.tuple("a", 1L));
  }

  @Test
  void weightsUpToTheLargestUnsignedNumberAreLegal() {
    var choice =
        forward(
                """
                "weighted_clusters": {"clusters": [
                  {"name": "a", "weight": 4294967294}, {"name": "b", "weight": 1}]}
                """)
            .clusters();

    assertThat(((ClusterChoice.Weighted) choice).clusters().get(0).weight()).isEqualTo(4294967294L);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "[] | clusters: is empty",
        "[{\"name\": \"a\", \"weight\": 0}, {\"name\": \"b\"}] | clusters: the weights add up to 0; give a cluster a weight above 0",
        "[{\"name\": \"a\", \"weight\": 4294967295}, {\"name\": \"b\", \"weight\": 1}]"
            + "| clusters: the weights add up to 4294967296, above 4294967295",
      })
  @Conformance("A31-35")
  void impossibleWeightsAreRefused(String clusters, String error) {
    assertThat(routeErrors("\"weighted_clusters\": {\"clusters\": " + clusters + "}"))
        .containsExactly(AT + "route.weighted_clusters." + error);
  }

  @Test
  void aClusterWithoutNameIsAskedForLikeAnyOther() {
    var choice = forward("\"cluster\": \"\"").clusters();

    assertThat(choice).isEqualTo(new ClusterChoice.Single(""));
  }

  @Test
  void routeWithoutMatchIsRefused() {
    assertThat(
            errors(
                ROUTE, "{\"name\": \"r\", \"virtual_hosts\": [{\"routes\": [{\"route\": {}}]}]}"))
        .containsExactly(AT + "match: is missing; give a path, such as prefix: /");
  }

  @Test
  void bothGenerationsOfTimeoutsAreRead() {
    var timeout =
        forward(
                """
                "cluster": "c", "timeout": "10s", "max_grpc_timeout": "0s",
                "max_stream_duration": {"max_stream_duration": "5s",
                  "grpc_timeout_header_max": "20s", "grpc_timeout_header_offset": "-1s"}
                """)
            .timeout();

    assertThat(timeout)
        .isEqualTo(
            new RouteTimeout(
                Optional.of(java.time.Duration.ofSeconds(10)),
                Optional.of(java.time.Duration.ZERO),
                Optional.of(
                    new StreamDuration(
                        Optional.of(java.time.Duration.ofSeconds(5)),
                        Optional.of(java.time.Duration.ofSeconds(20))))));
  }

  @Test
  void absentTimeoutsStayAbsent() {
    assertThat(forward("\"cluster\": \"c\"").timeout()).isEqualTo(RouteTimeout.UNSET);
    assertThat(forward("\"cluster\": \"c\", \"max_stream_duration\": {}").timeout())
        .isEqualTo(
            new RouteTimeout(
                Optional.empty(),
                Optional.empty(),
                Optional.of(new StreamDuration(Optional.empty(), Optional.empty()))));
  }

  static Stream<Arguments> timeoutFields() {
    return Stream.of(
        field("timeout", (route, d) -> route.setTimeout(d)),
        field("max_grpc_timeout", RouteDecoderTest::setMaxGrpcTimeout),
        field(
            "max_stream_duration.max_stream_duration",
            (route, d) -> route.getMaxStreamDurationBuilder().setMaxStreamDuration(d)),
        field(
            "max_stream_duration.grpc_timeout_header_max",
            (route, d) -> route.getMaxStreamDurationBuilder().setGrpcTimeoutHeaderMax(d)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("timeoutFields")
  @Conformance("A31-32")
  void illegalDurationsInEveryTimeoutAreRefusedAndHugeOnesCut(
      String path,
      BiConsumer<io.envoyproxy.envoy.config.route.v3.RouteAction.Builder, Duration> setter) {
    for (Duration bad :
        List.of(
            duration(-1, 0),
            duration(0, -1),
            duration(315_576_000_001L, 0),
            duration(1, 1_000_000_000),
            duration(1, -1))) {
      assertThat(errors(ROUTE, withRoute(setter, bad)))
          .singleElement()
          .asString()
          .startsWith(AT + "route." + path + ": is ");
    }
    var table = valid(ROUTE, withRoute(setter, duration(315_576_000_000L, 999_999_999)));
    var timeout =
        ((RouteAction.Forward) table.virtualHosts().get(0).routes().get(0).action()).timeout();
    assertThat(timeout.toString()).contains(ProtoDurations.MAX.toString());
  }

  @Test
  void authorityIsRewrittenOnlyForATrustedServer() {
    String table =
        table(
            "{\"match\": {\"prefix\": \"\"}, \"route\": "
                + "{\"cluster\": \"c\", \"auto_host_rewrite\": true}}");

    assertThat(forward(valid(ROUTE, table).virtualHosts().get(0).routes()).hostRewrite())
        .isEqualTo(HostRewrite.NONE);
    assertThat(
            forward(valid(ROUTE, table, Decoding.TRUSTED).virtualHosts().get(0).routes())
                .hostRewrite())
        .isEqualTo(new HostRewrite.OfEndpoint());
  }

  @Conformance("A111-01")
  @ParameterizedTest
  @CsvSource({"other.example,true", "other.example,false", "'',true"})
  void aLiteralAuthorityIsTakenOnlyFromATrustedServer(String literal, boolean trusted) {
    String table = table(literalRewrite(literal));
    HostRewrite expected =
        trusted && !literal.isEmpty() ? new HostRewrite.Literal(literal) : HostRewrite.NONE;

    RouteTable read = trusted ? valid(ROUTE, table, Decoding.TRUSTED) : valid(ROUTE, table);

    assertThat(forward(read.virtualHosts().get(0).routes()).hostRewrite()).isEqualTo(expected);
  }

  @Conformance("A111-01")
  @ParameterizedTest
  @ValueSource(strings = {"a b", "a\\r\\nb", "\u00e9.example"})
  void anAuthorityThatIsNoneIsNotTaken(String literal) {
    RouteTable trusted = valid(ROUTE, table(literalRewrite(literal)), Decoding.TRUSTED);

    assertThat(forward(trusted.virtualHosts().get(0).routes()).hostRewrite())
        .isEqualTo(HostRewrite.NONE);
  }

  private static String literalRewrite(String literal) {
    return "{\"match\": {\"prefix\": \"\"}, \"route\": {\"cluster\": \"c\","
        + " \"host_rewrite_literal\": \""
        + literal
        + "\"}}";
  }

  private static Arguments field(
      String path,
      BiConsumer<io.envoyproxy.envoy.config.route.v3.RouteAction.Builder, Duration> setter) {
    return Arguments.of(path, setter);
  }

  @SuppressWarnings("deprecation")
  private static void setMaxGrpcTimeout(
      io.envoyproxy.envoy.config.route.v3.RouteAction.Builder route, Duration duration) {
    route.setMaxGrpcTimeout(duration);
  }

  private static Duration duration(long seconds, int nanos) {
    return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  private static RouteConfiguration withRoute(
      BiConsumer<io.envoyproxy.envoy.config.route.v3.RouteAction.Builder, Duration> setter,
      Duration duration) {
    var table = RouteConfiguration.newBuilder().setName("r");
    var route = table.addVirtualHostsBuilder().addRoutesBuilder();
    route.getMatchBuilder().setPrefix("");
    setter.accept(route.getRouteBuilder().setCluster("c"), duration);
    return table.build();
  }

  private static String table(String routes) {
    return "{\"name\": \"r\", \"virtual_hosts\": [{\"routes\": [" + routes + "]}]}";
  }

  private static List<Route> routes(String routes) {
    return valid(ROUTE, table(routes)).virtualHosts().get(0).routes();
  }

  private static List<String> routeErrors(String action) {
    return errors(ROUTE, table("{\"match\": {\"prefix\": \"\"}, \"route\": {" + action + "}}"));
  }

  private static RouteAction.Forward forward(String action) {
    return forward(routes("{\"match\": {\"prefix\": \"\"}, \"route\": {" + action + "}}"));
  }

  private static RouteAction.Forward forward(List<Route> routes) {
    return (RouteAction.Forward) routes.get(0).action();
  }

  private static String single(RouteAction action) {
    return ((ClusterChoice.Single) ((RouteAction.Forward) action).clusters()).cluster();
  }
}
