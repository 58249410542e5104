package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.CidrRange;
import io.outrigger.config.listener.FilterChainMatch;
import io.outrigger.config.listener.FilterChainMatch.SourceType;
import io.outrigger.config.listener.FilterChainMatch.Unmatched;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.RouteAction;
import io.outrigger.testing.Conformance;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts leave out the quotes of JSON; {@code refusals.md} has an example of each refusal. */
class SocketListenerDecoderTest {
  private static final String ROUTER =
      "{name: r, typed_config: {" + type(FilterDecoders.ROUTER) + "}}";
  private static final String RDS = "rds: {route_config_name: r, config_source: {ads: {}}}";
  private static final String CHAIN = chain(RDS, ROUTER);

  /** The shape that istiod sends for a pod with a policy. */
  @Test
  @Conformance({"A36-08", "A36-12", "A39S-01"})
  void listenerOfAnIstioPod() {
    SocketListener listener =
        server(
            """
            name: "xds.istio.io/grpc/lds/inbound/10.1.2.3:8080",
            address: {socket_address: {address: 10.1.2.3, port_value: 8080}},
            additional_addresses: [{address: {socket_address: {address: "::1", port_value: 8080}}}],
            filter_chains: [{name: inbound-plaintext, %s}]
            """
                .formatted(
                    chain(
                        "route_config: {name: inbound, virtual_hosts: [{domains: ['*'], routes:"
                            + " [{match: {prefix: '/'}, non_forwarding_action: {}}]}]}",
                        "{name: envoy.filters.http.rbac.DENY, typed_config: {"
                            + type(RbacDecoder.TYPE)
                            + ", rules: {action: DENY}}}, "
                            + ROUTER)));

    assertThat(listener.host()).isEqualTo("10.1.2.3");
    assertThat(listener.port()).isEqualTo(8080);
    assertThat(listener.defaultChain()).isEmpty();
    assertThat(listener.chains()).hasSize(1);
    ServerFilterChain chain = listener.chains().get(0);
    assertThat(chain.name()).isEqualTo("inbound-plaintext");
    assertThat(chain.match()).isEqualTo(FilterChainMatch.ANY);
    assertThat(chain.tls()).isEmpty();
    assertThat(chain.filters())
        .extracting("name")
        .containsExactly("envoy.filters.http.rbac.DENY", "r");
    assertThat(chain.filters().get(0).config()).isInstanceOf(Rbac.class);
    var table = ((RouteSource.Inline) chain.routes()).table();
    assertThat(table.virtualHosts().get(0).routes().get(0).action())
        .isEqualTo(new RouteAction.NonForwarding());
  }

  @ParameterizedTest(name = "{0}:{1} -> {2}:{3}")
  @CsvSource({
    "0.0.0.0, 'port_value: 80', 0.0.0.0, 80",
    "0:0::0, 'port_value: 80', ::, 80",
    "::, 'port_value: 0', ::, 0",
    "::, 'protocol: TCP', ::, 0",
    "pod.local, 'port_value: 80', pod.local, 80",
  })
  @Conformance("A36-05")
  void addressIsAcceptedWhateverItIs(String address, String port, String host, int number) {
    SocketListener listener =
        server(
            "name: l, address: {socket_address: {address: '%s', %s}}, filter_chains: [{%s}]"
                .formatted(address, port, CHAIN));

    assertThat(listener.host()).isEqualTo(host);
    assertThat(listener.port()).isEqualTo(number);
  }

  @Test
  @Conformance("A36-07")
  void defaultChainAloneIsEnough() {
    SocketListener listener = server(onAnyPort("default_filter_chain: {" + CHAIN + "}"));

    assertThat(listener.chains()).isEmpty();
    assertThat(listener.defaultChain().orElseThrow().routes()).isEqualTo(new RouteSource.Rds("r"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "use_original_dst: false",
        "traffic_direction: INBOUND",
        "traffic_direction: UNSPECIFIED"
      })
  @Conformance({"A36-07", "A36-11"})
  void harmlessFieldsAreAccepted(String field) {
    assertThat(server(onAnyPort(field + ", filter_chains: [{" + CHAIN + "}]")).chains()).hasSize(1);
  }

  @Test
  @Conformance({"FCM-02", "FCM-04"})
  void everyFieldOfAMatch() {
    SocketListener listener =
        server(
            onAnyPort(
                """
                filter_chains: [{filter_chain_match: {
                  destination_port: 7, prefix_ranges: [{address_prefix: 10.1.2.3, prefix_len: 8},
                    {address_prefix: 10.1.2.3, prefix_len: 99}, {address_prefix: 10.1.2.3}],
                  source_type: EXTERNAL, source_prefix_ranges: [{address_prefix: "::1"}],
                  source_ports: [1, 2], server_names: [a], transport_protocol: tls,
                  application_protocols: [h2]}, %s}]
                """
                    .formatted(CHAIN)));

    assertThat(listener.chains().get(0).match())
        .isEqualTo(
            new FilterChainMatch(
                Set.of(range("10.0.0.0", 8), range("10.1.2.3", 32), range("0.0.0.0", 0)),
                "tls",
                SourceType.EXTERNAL,
                Set.of(range("::", 0)),
                Set.of(1, 2),
                new Unmatched(Set.of(7), Set.of("a"), Set.of("h2"))));
  }

  @Test
  @Conformance({"FCM-04", "FCM-08"})
  void chainsThatDifferAreAccepted() {
    String second = "filter_chain_match: {source_ports: [1]}, " + CHAIN;

    assertThat(server(onAnyPort("filter_chains: [{%s}, {%s}]".formatted(CHAIN, second))).chains())
        .hasSize(2);
    assertThat(
            errors(
                LISTENER, "{" + onAnyPort("filter_chains: [{%s}, {%1$s}]".formatted(CHAIN)) + "}"))
        .singleElement()
        .asString()
        .startsWith("filter_chains[1].filter_chain_match: matches the same connections");
    String third = "filter_chain_match: {source_ports: [2, 1]}, " + CHAIN;
    assertThat(
            errors(
                LISTENER,
                "{" + onAnyPort("filter_chains: [{%s}, {%s}]".formatted(second, third)) + "}"))
        .singleElement()
        .asString()
        .startsWith("filter_chains[1].filter_chain_match: matches the same connections");
    assertThat(
            errors(
                LISTENER,
                "{"
                    + onAnyPort(
                        "filter_chains: [{name: a, %s}, {name: a, %s}]".formatted(CHAIN, second))
                    + "}"))
        .singleElement()
        .asString()
        .startsWith("filter_chains[1].name: is \"a\" as in filter_chains[0]");
  }

  @Test
  @Conformance("A36-08")
  void connectionManagerMayBeATypedStruct() {
    String struct =
        """
        filters: [{name: m, typed_config: {"@type": "type.googleapis.com/xds.type.v3.TypedStruct",
          type_url: "type.googleapis.com/%s",
          value: {route_config: {virtual_hosts: [{domains: ["*"], routes: [{match: {prefix: "/"},
            non_forwarding_action: {}, typed_per_filter_config: {f: {%s}}}]}]},
            http_filters: [%s]}}}]
        """
            .formatted(ConnectionManagerDecoder.TYPE, type(RbacDecoder.OVERRIDE_TYPE), ROUTER);

    ServerFilterChain chain =
        server(onAnyPort("filter_chains: [{" + struct + "}]")).chains().get(0);

    var table = ((RouteSource.Inline) chain.routes()).table();
    assertThat(table.virtualHosts().get(0).routes().get(0).filterOverrides())
        .containsEntry("f", Rbac.OFF);
  }

  @Test
  @Conformance("A39S-01")
  void filtersOfClientsAreForClientsOnly() {
    String fault = "name: f, typed_config: {" + type(FaultDecoder.TYPE) + "}";

    assertThat(
            errors(
                LISTENER,
                "{"
                    + onAnyPort(
                        "filter_chains: [{" + chain(RDS, "{" + fault + "}, " + ROUTER) + "}]")
                    + "}"))
        .singleElement()
        .asString()
        .contains("http_filters[0].typed_config: filter \"f\" of type")
        .contains("is not supported on a server; supported: router, rbac");
    assertThat(
            server(
                    onAnyPort(
                        "filter_chains: [{"
                            + chain(RDS, "{is_optional: true, " + fault + "}, " + ROUTER)
                            + "}]"))
                .chains()
                .get(0)
                .filters())
        .singleElement()
        .satisfies(filter -> assertThat(filter.config()).isEqualTo(new FilterConfig.Router()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | http_filters: is empty",
        "RBAC | http_filters: the last filter must be the router",
        "ROUTER, RBAC | http_filters[1]: follows the router filter",
        "RBAC, RBAC, ROUTER | http_filters[1].name: duplicate \"f\"",
      })
  @Conformance("A39S-03")
  void filtersEndWithTheRouter(String filters, String error) {
    String list =
        filters
            .replace("RBAC", "{name: f, typed_config: {" + type(RbacDecoder.TYPE) + "}}")
            .replace("ROUTER", ROUTER);

    assertThat(
            errors(LISTENER, "{" + onAnyPort("filter_chains: [{" + chain(RDS, list) + "}]") + "}"))
        .first()
        .asString()
        .startsWith("filter_chains[0].filters[0].typed_config." + error);
  }

  @Test
  @Conformance("A36-10")
  void routesNeedASource() {
    for (String routes :
        new String[] {
          "stat_prefix: s",
          "rds: {config_source: {ads: {}}}",
          "rds: {route_config_name: r, config_source: {path: x}}"
        }) {
      assertThat(
              errors(
                  LISTENER,
                  "{" + onAnyPort("filter_chains: [{" + chain(routes, ROUTER) + "}]") + "}"))
          .singleElement()
          .asString()
          .startsWith("filter_chains[0].filters[0].typed_config");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"xff_num_trusted_hops", "original_ip_detection_extensions"})
  @Conformance("A36-09")
  void sourceOfARequestIsThePeer(String field) {
    String value = field.startsWith("xff") ? "1" : "[{}]";
    String fields = RDS + ", " + field + ": " + value;

    assertThat(
            errors(
                LISTENER,
                "{" + onAnyPort("filter_chains: [{" + chain(fields, ROUTER) + "}]") + "}"))
        .singleElement()
        .asString()
        .startsWith("filter_chains[0].filters[0].typed_config." + field + ": is not supported");
  }

  private static SocketListener server(String fields) {
    return (SocketListener) valid(LISTENER, "{" + fields + "}");
  }

  private static String onAnyPort(String fields) {
    return "name: l, address: {socket_address: {address: 0.0.0.0}}, " + fields;
  }

  private static String chain(String routes, String filters) {
    return "filters: [{name: m, typed_config: {%s, %s, http_filters: [%s]}}]"
        .formatted(type(ConnectionManagerDecoder.TYPE), routes, filters);
  }

  private static CidrRange range(String address, int length) {
    return CidrRange.of(address, length).orElseThrow();
  }

  private static String type(String name) {
    return "\"@type\": \"type.googleapis.com/" + name + "\"";
  }
}
