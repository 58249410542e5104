package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBACPerRoute;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.route.RouteAction;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpFilterDecoderTest {
  private static final String AT = "api_listener.api_listener.";
  private static final String ROUTER = filter("router", type(FilterDecoders.ROUTER), "");
  private static final String FAULT = filter("fault", type(FaultDecoder.TYPE), "");
  private static final String UNKNOWN_TYPE = type("envoy.extensions.filters.http.lua.v3.Lua");
  private static final FilterConfig.Fault NO_FAULT =
      new FilterConfig.Fault(Optional.empty(), Optional.empty(), Optional.empty());

  @Test
  @Conformance("A39-01")
  void chainOfFaultAndRouterIsKeptInOrder() {
    assertThat(chain(FAULT, ROUTER))
        .containsExactly(
            new HttpFilter("fault", NO_FAULT), new HttpFilter("router", new FilterConfig.Router()));
  }

  @Test
  @Conformance("A39-01")
  void emptyChainIsRefused() {
    assertThat(chainErrors())
        .singleElement()
        .asString()
        .startsWith(AT + "http_filters: is empty; at least the router filter");
  }

  @Test
  @Conformance("A39-01")
  void nameTwiceIsRefused() {
    assertThat(chainErrors(FAULT, FAULT, ROUTER))
        .containsExactly(AT + "http_filters[1].name: duplicate \"fault\"");
  }

  @Test
  void filterWithoutNameIsRefused() {
    assertThat(chainErrors(filter("", type(FaultDecoder.TYPE), ""), ROUTER))
        .containsExactly(AT + "http_filters[0].name: is empty");
  }

  @Test
  @Conformance("A39-01")
  void chainThatDoesNotEndWithTheRouterIsRefused() {
    assertThat(chainErrors(FAULT))
        .singleElement()
        .asString()
        .startsWith(AT + "http_filters: the last filter must be the router filter");
    assertThat(chainErrors(ROUTER, FAULT))
        .containsExactly(AT + "http_filters[1]: follows the router filter, which must be the last");
    assertThat(chainErrors(ROUTER, filter("second", type(FilterDecoders.ROUTER), "")))
        .containsExactly(AT + "http_filters[1]: follows the router filter, which must be the last");
  }

  @Test
  @Conformance("A39-02")
  void unknownFilterIsLeftOutWhenOptional() {
    String optional = "\"is_optional\": true";

    assertThat(chain(filter("lua", UNKNOWN_TYPE, optional), ROUTER, filter("x", "", optional)))
        .containsExactly(new HttpFilter("router", new FilterConfig.Router()));
    assertThat(
            chain(
                filter("dyn", "", optional + ", \"config_discovery\": {\"type_urls\": [\"t\"]}"),
                ROUTER))
        .hasSize(1);
  }

  @Test
  @Conformance("A39-02")
  void unknownFilterIsRefusedByName() {
    assertThat(chainErrors(filter("lua", UNKNOWN_TYPE, ""), ROUTER))
        .containsExactly(
            AT
                + "http_filters[0].typed_config: filter \"lua\" of type"
                + " \"envoy.extensions.filters.http.lua.v3.Lua\" is not supported; supported:"
                + " router, fault, stateful_session; mark it is_optional to have it ignored");
    assertThat(chainErrors(filter("dyn", "", ""), ROUTER))
        .singleElement()
        .asString()
        .contains("http_filters[0]: filter \"dyn\" has no typed_config");
  }

  /** A39: of a known filter, the type must be right even if the settings are optional. */
  @Test
  @Conformance({"A39-02", "A39-03"})
  void knownTypeInTheWrongPlaceIsRefusedEvenWhenOptional() {
    var filter =
        io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter
            .newBuilder()
            .setName("own")
            .setIsOptional(true)
            .setTypedConfig(Any.pack(RBACPerRoute.getDefaultInstance()))
            .build();
    var errors = FieldErrors.ofResource();
    HttpFilterDecoder.chain(List.of(filter), FilterDecoders.SERVER, errors);
    String override =
        "{%s, \"is_optional\": true, \"config\": {%s, \"rules\": {\"action\": \"DENY\"}}}"
            .formatted(type(HttpFilterDecoder.FILTER_CONFIG), type(RbacDecoder.TYPE));

    assertThat(errors.all())
        .singleElement()
        .asString()
        .isEqualTo(
            "http_filters[0].typed_config: filter \"own\" of type \""
                + RbacDecoder.OVERRIDE_TYPE
                + "\" is an override; it belongs in typed_per_filter_config of a route");
    assertThat(errors(ROUTE, withOverride(override)))
        .singleElement()
        .asString()
        .endsWith(
            "[\"fault\"].config: override of type \""
                + RbacDecoder.TYPE
                + "\" configures the filter in a listener; an override needs another type");
  }

  @Test
  void invalidConfigOfAKnownFilterIsRefusedEvenWhenOptional() {
    String fault =
        filter("fault", type(FaultDecoder.TYPE) + ", \"abort\": {}", "\"is_optional\": true");

    assertThat(chainErrors(fault, ROUTER))
        .containsExactly(
            AT
                + "http_filters[0].typed_config.abort: none of grpc_status, http_status and"
                + " header_abort");
  }

  @ParameterizedTest
  @ValueSource(strings = {"xds.type.v3.TypedStruct", "udpa.type.v1.TypedStruct"})
  @Conformance("A39-04")
  void typedStructIsUnwrapped(String wrapper) {
    String fault =
        filter(
            "fault",
            type(wrapper)
                + ", \"type_url\": \"type.googleapis.com/"
                + FaultDecoder.TYPE
                + "\", \"value\": {\"max_active_faults\": 7, \"no_such_field\": 1,"
                + " \"delay\": {\"fixed_delay\": \"2s\", \"percentage\":"
                + " {\"numerator\": 5, \"denominator\": \"MILLION\"}}}",
            "");

    assertThat(chain(fault, ROUTER).get(0).config())
        .isEqualTo(
            new FilterConfig.Fault(
                Optional.of(
                    new FilterConfig.Delay(
                        Optional.of(Duration.ofSeconds(2)), new Fraction(5, 1_000_000))),
                Optional.empty(),
                Optional.of(7L)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"xds.type.v3.TypedStruct", "udpa.type.v1.TypedStruct"})
  @Conformance("A39-04")
  void typedStructOfAnUnknownFilterIsKnownByTheTypeInside(String wrapper) {
    String config = type(wrapper) + ", \"type_url\": \"type.googleapis.com/myorg.Filter\"";

    assertThat(chain(filter("own", config, "\"is_optional\": true"), ROUTER)).hasSize(1);
    assertThat(chainErrors(filter("own", config, ""), ROUTER))
        .singleElement()
        .asString()
        .contains("of type \"myorg.Filter\" is not supported");
  }

  @Test
  void structThatDoesNotFitTheFilterIsRefused() {
    var notJson =
        com.github.xds.type.v3.TypedStruct.newBuilder()
            .setTypeUrl("type.googleapis.com/" + FaultDecoder.TYPE)
            .setValue(
                Struct.newBuilder()
                    .putFields(
                        "max_active_faults", Value.newBuilder().setNumberValue(Double.NaN).build()))
            .build();

    for (Any any : List.of(Any.pack(notJson), broken("xds.type.v3.TypedStruct"))) {
      assertThat(errors(ROUTE, withOverride(any)))
          .singleElement()
          .asString()
          .startsWith("virtual_hosts[0].typed_per_filter_config[\"fault\"]: not a readable ");
    }
  }

  @Test
  void unreadableStructIsRefusedEvenWhenOptional() {
    var filter =
        io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter
            .newBuilder()
            .setName("own")
            .setIsOptional(true)
            .setTypedConfig(broken("xds.type.v3.TypedStruct"))
            .build();
    var errors = FieldErrors.ofResource();

    HttpFilterDecoder.chain(List.of(filter), FilterDecoders.SERVER, errors);

    assertThat(errors.all())
        .singleElement()
        .asString()
        .startsWith("http_filters[0].typed_config: not a readable ");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"http_status\": 503, \"percentage\": {\"numerator\": 10}}",
        "{\"grpc_status\": 14, \"percentage\": {\"numerator\": 10}}",
        "{\"header_abort\": {}, \"percentage\": {\"numerator\": 10}}",
      })
  void abortIsByGrpcStatusByHttpStatusOrByHeader(String abort) {
    var fault = (FilterConfig.Fault) faultOf("\"abort\": " + abort);

    assertThat(fault.abort().orElseThrow())
        .isEqualTo(
            new FilterConfig.Abort(
                abort.contains("grpc") ? Optional.of(14) : Optional.empty(),
                abort.contains("http") ? Optional.of(503) : Optional.empty(),
                new Fraction(10, 100)));
  }

  @Test
  void delayMayComeFromTheHeader() {
    var fault = (FilterConfig.Fault) faultOf("\"delay\": {\"header_delay\": {}}");

    assertThat(fault.delay())
        .contains(new FilterConfig.Delay(Optional.empty(), new Fraction(0, 100)));
  }

  @Test
  void faultThatMeansNothingInjectsNothing() {
    var fault =
        (FilterConfig.Fault)
            faultOf(
                "\"delay\": {}, \"abort\": {\"http_status\": 99, \"percentage\": {\"numerator\":"
                    + " 9}}");

    assertThat(fault.canAct()).isFalse();
  }

  @Test
  void statusThatIsNoneIsUnknown() {
    var fault =
        (FilterConfig.Fault)
            faultOf(
                "\"delay\": {\"fixed_delay\": \"-1s\"}, \"abort\": {\"grpc_status\": 4294967295}");

    assertThat(fault.delay().orElseThrow().fixed()).contains(Duration.ZERO);
    assertThat(fault.abort().orElseThrow().grpcStatus()).contains(2);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"delay\": {\"header_delay\": {}, \"percentage\": {\"denominator\": 9}}"
            + " | delay.percentage.denominator: unknown value 9",
        "\"abort\": {} | abort: none of grpc_status, http_status and header_abort",
      })
  void invalidFaultIsRefused(String fields, String error) {
    String fault = filter("fault", type(FaultDecoder.TYPE) + ", " + fields, "");

    assertThat(chainErrors(fault, ROUTER))
        .containsExactly(AT + "http_filters[0].typed_config." + error);
  }

  @Test
  @Conformance("A39-03")
  void overridesAreReadAtEveryLevel() {
    var table =
        valid(
            ROUTE,
            """
            {"name": "r", "virtual_hosts": [{"name": "v", "domains": ["*"],
              "typed_per_filter_config": {"fault": %1$s},
              "routes": [{"match": {"prefix": ""},
                "typed_per_filter_config": {"fault": %2$s},
                "route": {"weighted_clusters": {"clusters": [
                  {"name": "c", "weight": 1, "typed_per_filter_config": {"fault": %3$s}}]}}}]}]}
            """
                .formatted(
                    override(1),
                    """
                    {"@type": "type.googleapis.com/envoy.config.route.v3.FilterConfig",
                     "config": %s}
                    """
                        .formatted(override(2)),
                    """
                    {"@type": "type.googleapis.com/envoy.config.route.v3.FilterConfig",
                     "is_optional": true, "config": %s}
                    """
                        .formatted(override(3))));

    var host = table.virtualHosts().get(0);
    var route = host.routes().get(0);
    var forward = (RouteAction.Forward) route.action();
    var cluster = ((ClusterChoice.Weighted) forward.clusters()).clusters().get(0);
    assertThat(host.filterOverrides()).containsEntry("fault", limit(1));
    assertThat(route.filterOverrides()).containsEntry("fault", limit(2));
    assertThat(cluster.filterOverrides()).containsEntry("fault", limit(3));
  }

  @Test
  @Conformance("A39-03")
  void unknownOverrideIsRefusedUnlessOptional() {
    String lua = "{" + UNKNOWN_TYPE + "}";
    String wrapped =
        """
        {"@type": "type.googleapis.com/envoy.config.route.v3.FilterConfig",
         "is_optional": %s, "config": %s}
        """;

    assertThat(errors(ROUTE, withOverride(lua)))
        .singleElement()
        .asString()
        .startsWith(
            "virtual_hosts[0].typed_per_filter_config[\"fault\"]: override of type"
                + " \"envoy.extensions.filters.http.lua.v3.Lua\" is not supported");
    assertThat(errors(ROUTE, withOverride(wrapped.formatted("false", lua))))
        .singleElement()
        .asString()
        .startsWith("virtual_hosts[0].typed_per_filter_config[\"fault\"].config: override");
    var table = valid(ROUTE, withOverride(wrapped.formatted("true", lua)));
    assertThat(table.virtualHosts().get(0).filterOverrides()).isEmpty();
  }

  /** Decision config-0002: a filter is disabled only where gRPC refuses the override. */
  @Test
  @Conformance("A39-03")
  void overrideDisablesOnlyWithoutConfig() {
    String disabled =
        "{" + type(HttpFilterDecoder.FILTER_CONFIG) + ", \"disabled\": true, \"config\": {%s}}";
    var table = valid(ROUTE, withOverride(disabled.replace(", \"config\": {%s}", "")));
    assertThat(table.virtualHosts().get(0).filterOverrides())
        .containsExactly(Map.entry("fault", new FilterConfig.Disabled()));

    String fault = type("envoy.extensions.filters.http.fault.v3.HTTPFault");
    table = valid(ROUTE, withOverride(disabled.formatted(fault)));
    assertThat(table.virtualHosts().get(0).filterOverrides().get("fault"))
        .isInstanceOf(FilterConfig.Fault.class);
    assertThat(errors(ROUTE, withOverride(disabled.formatted(UNKNOWN_TYPE)))).hasSize(1);
    table =
        valid(ROUTE, withOverride(disabled.replace("\"config\": {%s}", "\"is_optional\": true")));
    assertThat(table.virtualHosts().get(0).filterOverrides()).isEmpty();
  }

  @Test
  @Conformance("A33-08")
  void fieldsOfFaultThatOnlyEnvoyKnowsAreIgnored() {
    var fault =
        faultOf(
            """
            "upstream_cluster": "elsewhere", "downstream_nodes": ["n"],
            "response_rate_limit": {"fixed_limit": {"limit_kbps": 1}},
            "headers": [{"name": "x", "present_match": true}],
            "abort": {"grpc_status": 3, "percentage": {"numerator": 100}}\
            """);

    assertThat(fault)
        .isEqualTo(
            new FilterConfig.Fault(
                Optional.empty(),
                Optional.of(
                    new FilterConfig.Abort(
                        Optional.of(3), Optional.empty(), new Fraction(100, 100))),
                Optional.empty()));
  }

  /** A103 is not spoken: a composite filter is an unknown one, for which A39 has the rule. */
  @Test
  @Conformance({"A39-02", "NX-01"})
  void compositeFilterIsAnUnknownOne() {
    String composite =
        "\"@type\": \"type.googleapis.com/xds.type.v3.TypedStruct\", \"type_url\":"
            + " \"type.googleapis.com/envoy.extensions.common.matching.v3.ExtensionWithMatcher\"";

    assertThat(chain(filter("composite", composite, "\"is_optional\": true"), ROUTER)).hasSize(1);
    assertThat(chainErrors(filter("composite", composite, ""), ROUTER))
        .singleElement()
        .asString()
        .contains("ExtensionWithMatcher\" is not supported");
  }

  @Test
  void routerTakesNoOverride() {
    assertThat(errors(ROUTE, withOverride("{" + type(FilterDecoders.ROUTER) + "}")))
        .containsExactly(
            "virtual_hosts[0].typed_per_filter_config[\"fault\"]: the router filter takes no"
                + " override");
  }

  @Test
  void unreadableOverrideIsRefused() {
    for (String type : List.of(FaultDecoder.TYPE, HttpFilterDecoder.FILTER_CONFIG)) {
      assertThat(errors(ROUTE, withOverride(broken(type))))
          .singleElement()
          .asString()
          .contains("[\"fault\"]: not a readable " + type);
    }
  }

  private static FilterConfig faultOf(String fields) {
    return chain(filter("fault", type(FaultDecoder.TYPE) + ", " + fields, ""), ROUTER)
        .get(0)
        .config();
  }

  private static FilterConfig limit(long maxActive) {
    return new FilterConfig.Fault(Optional.empty(), Optional.empty(), Optional.of(maxActive));
  }

  private static String override(int maxActive) {
    return "{" + type(FaultDecoder.TYPE) + ", \"max_active_faults\": " + maxActive + "}";
  }

  private static String withOverride(String override) {
    return """
    {"name": "r", "virtual_hosts": [{"typed_per_filter_config": {"fault": %s}}]}
    """
        .formatted(override);
  }

  private static RouteConfiguration withOverride(Any override) {
    var table = RouteConfiguration.newBuilder().setName("r");
    table.addVirtualHostsBuilder().putTypedPerFilterConfig("fault", override);
    return table.build();
  }

  private static Any broken(String type) {
    return Any.newBuilder()
        .setTypeUrl("type.googleapis.com/" + type)
        .setValue(ByteString.copyFrom(new byte[] {(byte) 0xFF}))
        .build();
  }

  private static String type(String name) {
    return "\"@type\": \"type.googleapis.com/" + name + "\"";
  }

  private static String filter(String name, String typedConfig, String fields) {
    return "{\"name\": \""
        + name
        + "\""
        + (typedConfig.isEmpty() ? "" : ", \"typed_config\": {" + typedConfig + "}")
        + (fields.isEmpty() ? "" : ", " + fields)
        + "}";
  }

  private static List<HttpFilter> chain(String... filters) {
    return ((ApiListener) valid(LISTENER, listener(filters))).filters();
  }

  private static List<String> chainErrors(String... filters) {
    return errors(LISTENER, listener(filters));
  }

  private static String listener(String... filters) {
    return """
    {"name": "orders", "api_listener": {"api_listener": {
      %s,
      "rds": {"config_source": {"ads": {}}, "route_config_name": "r"},
      "http_filters": [%s]}}}
    """
        .formatted(type(ConnectionManagerDecoder.TYPE), String.join(",", filters));
  }
}
