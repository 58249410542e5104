package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.ENDPOINT;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.route.Fraction;
import io.outrigger.testing.Conformance;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointDecoderTest {
  @Test
  void localitiesStandInTheirPrioritiesWithAllTheySay() {
    var set =
        valid(
            ENDPOINT,
            """
            {"cluster_name": "pay", "endpoints": [
              {"priority": 1, "load_balancing_weight": 4294967295,
               "locality": {"region": "r", "zone": "z", "sub_zone": "s"},
               "lb_endpoints": [{"load_balancing_weight": 4294967295, "endpoint":
                 {"hostname": "h", "address": {"socket_address":
                   {"address": "2001:DB8::0:1", "port_value": 443}}}}]},
              {"load_balancing_weight": 3, "locality": {}, "lb_endpoints": [
                 {"health_status": "HEALTHY", "endpoint": {"address": {"socket_address":
                   {"address": "10.0.0.1", "port_value": 65535}}}}]},
              {"load_balancing_weight": 1, "locality": {"zone": "b"}}]}
            """);

    assertThat(set)
        .isEqualTo(
            new EndpointSet(
                "pay",
                List.of(
                    List.of(
                        new LocalityEndpoints(
                            new Locality("", "", ""),
                            3,
                            List.of(
                                new Endpoint(
                                    List.of(new EndpointAddress("10.0.0.1", 65535)),
                                    HealthStatus.HEALTHY,
                                    1,
                                    ""))),
                        new LocalityEndpoints(new Locality("", "b", ""), 1, List.of())),
                    List.of(
                        new LocalityEndpoints(
                            new Locality("r", "z", "s"),
                            4294967295L,
                            List.of(
                                new Endpoint(
                                    List.of(new EndpointAddress("2001:db8::1", 443)),
                                    HealthStatus.UNKNOWN,
                                    4294967295L,
                                    "h"))))),
                List.of()));
  }

  @Conformance("A76-01")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{envoy.lb: {hash_key: pod-7}, other: {hash_key: x}} | pod-7",
        "{envoy.lb: {hash_key: \"\"}}                        | ''",
        "{envoy.lb: {hash_key: 7}}                           | ''",
        "{envoy.lb: {other: x}}                              | ''",
        "{other: {hash_key: x}}                              | ''",
      })
  void metadataMayGiveAHashKey(String metadata, String key) {
    String more = ", metadata: {filter_metadata: " + metadata + "}";

    var set = valid(ENDPOINT, oneLocality(endpoint(address("10.0.0.1", 80), more)));

    assertThat(set.priorities().get(0).get(0).endpoints().get(0).hashKey()).isEqualTo(key);
  }

  @Test
  void noEndpointsAtAllAreLegal() {
    assertThat(valid(ENDPOINT, "{\"cluster_name\": \"pay\"}").priorities()).isEmpty();
  }

  @Test
  @Conformance("A27-06")
  void localityWithoutWeightIsDroppedUnread() {
    var set =
        valid(
            ENDPOINT,
            """
            {"cluster_name": "pay", "endpoints": [
              {"locality": {"zone": "unset"}, "lb_endpoints": [{}]},
              {"locality": {"zone": "zero"}, "load_balancing_weight": 0, "priority": 7},
              {"locality": {"zone": "kept"}, "load_balancing_weight": 1}]}
            """);

    assertThat(set.priorities()).hasSize(1);
    assertThat(set.priorities().get(0))
        .extracting(locality -> locality.locality().zone())
        .containsExactly("kept");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"load_balancing_weight\": 1}"
            + " | endpoints[0].locality: is missing; an empty message {} will do",
        "{}" + " | endpoints[0].locality: is missing; an empty message {} will do",
        "{\"locality\": {}, \"load_balancing_weight\": 1, \"priority\": 1}"
            + " | endpoints: no locality with a weight has priority 0, but a lower one exists; leave no gap",
        "{\"locality\": {}, \"load_balancing_weight\": 1, \"priority\": 4294967295}"
            + " | endpoints: no locality with a weight has priority 0, but a lower one exists; leave no gap",
        "{\"locality\": {}, \"priority\": 0},"
            + "{\"locality\": {}, \"load_balancing_weight\": 1, \"priority\": 1}"
            + " | endpoints: no locality with a weight has priority 0, but a lower one exists; leave no gap",
        "{\"locality\": {}, \"load_balancing_weight\": 1},"
            + "{\"locality\": {}, \"load_balancing_weight\": 1, \"priority\": 2}"
            + " | endpoints: no locality with a weight has priority 1, but a lower one exists; leave no gap",
        "{\"locality\": {\"zone\": \"a\"}, \"load_balancing_weight\": 4294967295},"
            + "{\"locality\": {\"zone\": \"b\"}, \"load_balancing_weight\": 1}"
            + " | endpoints: the locality weights of priority 0 add up to 4294967296,"
            + " above 4294967295",
        "{\"locality\": {\"zone\": \"a\"}, \"load_balancing_weight\": 1},"
            + "{\"locality\": {\"zone\": \"a\"}, \"load_balancing_weight\": 2}"
            + " | endpoints[1].locality: /a/ (region/zone/sub_zone) occurs twice in priority 0",
      })
  @Conformance("A27-06")
  void localitiesThatMakeNoSenseAreRefused(String localities, String error) {
    assertThat(errors(ENDPOINT, "{\"cluster_name\": \"p\", \"endpoints\": [" + localities + "]}"))
        .containsExactly(error);
  }

  @Test
  @Conformance("A27-06")
  void weightsOfDifferentPrioritiesAreNotAddedAndALocalityMayBeInTwoOfThem() {
    valid(
        ENDPOINT,
        """
        {"cluster_name": "pay", "endpoints": [
          {"locality": {}, "load_balancing_weight": 4294967295},
          {"locality": {}, "load_balancing_weight": 4294967295, "priority": 1}]}
        """);
  }

  @Test
  @Conformance("A27-07")
  void sameAddressTwiceIsRefusedWhereverItStands() {
    String first = endpoint(address("10.0.0.1", 80), "");
    String again = endpoint(address("::ffff:10.0.0.1", 80), ", \"health_status\": \"UNHEALTHY\"");
    String additional =
        endpoint(
            address("10.0.0.2", 80)
                + ", \"additional_addresses\": [{"
                + address("10.0.0.1", 80)
                + "}]",
            "");
    String error = "endpoint.address: duplicate address 10.0.0.1:80";

    assertThat(errors(ENDPOINT, oneLocality(first, again)))
        .containsExactly("endpoints[0].lb_endpoints[1]." + error);
    assertThat(errors(ENDPOINT, oneLocality(first, additional)))
        .containsExactly("endpoints[0].lb_endpoints[1]." + error);
    assertThat(
            errors(
                ENDPOINT,
                "{\"cluster_name\": \"p\", \"endpoints\": ["
                    + locality(0, "a", first)
                    + ","
                    + locality(1, "b", first)
                    + "]}"))
        .containsExactly("endpoints[1].lb_endpoints[0]." + error);
    valid(ENDPOINT, oneLocality(first, endpoint(address("10.0.0.1", 81), "")));
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "UNKNOWN, UNKNOWN, true",
    "HEALTHY, HEALTHY, true",
    "UNHEALTHY, UNHEALTHY, false",
    "DRAINING, DRAINING, false",
    "TIMEOUT, TIMEOUT, false",
    "DEGRADED, DEGRADED, false",
    "99, UNHEALTHY, false",
  })
  void endpointsOfEveryHealthAreKept(String given, HealthStatus expected, boolean usable) {
    String health = Character.isDigit(given.charAt(0)) ? given : "\"" + given + "\"";

    var set =
        valid(
            ENDPOINT,
            oneLocality(endpoint(address("10.0.0.1", 80), ", \"health_status\": " + health)));

    var endpoint = set.priorities().get(0).get(0).endpoints().get(0);
    assertThat(endpoint.health()).isEqualTo(expected);
    assertThat(endpoint.health().isUsable()).isEqualTo(usable);
  }

  @Test
  void additionalAddressesFollowInOrder() {
    var set =
        valid(
            ENDPOINT,
            oneLocality(
                endpoint(
                    address("10.0.0.1", 80)
                        + ", \"additional_addresses\": [{"
                        + address("::1", 81)
                        + "}, {"
                        + address("10.0.0.2", 82)
                        + "}]",
                    "")));

    assertThat(set.priorities().get(0).get(0).endpoints().get(0).addresses())
        .containsExactly(
            new EndpointAddress("10.0.0.1", 80),
            new EndpointAddress("::1", 81),
            new EndpointAddress("10.0.0.2", 82));
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | .endpoint: is missing",
        "{\"endpoint_name\": \"x\"} | .endpoint: is missing",
        "{\"endpoint\": {}} | .endpoint.address: socket_address is missing; no other form is"
            + " supported",
        "{\"endpoint\": {\"address\": {\"pipe\": {\"path\": \"/x\"}}}}"
            + " | .endpoint.address: socket_address is missing; no other form is supported",
        "{\"endpoint\": {\"address\": {\"socket_address\":"
            + " {\"address\": \"db.example.com\", \"port_value\": 1}}}}"
            + " | .endpoint.address.socket_address.address: \"db.example.com\" is not an IP"
            + " address; use a LOGICAL_DNS cluster for names",
        "{\"load_balancing_weight\": 0, \"endpoint\": {\"address\": {\"socket_address\":"
            + " {\"address\": \"1.2.3.4\", \"port_value\": 1}}}}"
            + " | .load_balancing_weight: is 0; must be at least 1",
        "{\"endpoint\": {\"address\": {\"socket_address\":"
            + " {\"address\": \"1.2.3.4\", \"port_value\": 1}}, \"additional_addresses\": [{}]}}"
            + " | .endpoint.additional_addresses[0].address: socket_address is missing; no other"
            + " form is supported",
      })
  void endpointThatCannotBeReachedIsRefused(String endpoint, String error) {
    assertThat(errors(ENDPOINT, oneLocality(endpoint)))
        .containsExactly("endpoints[0].lb_endpoints[0]" + error);
  }

  @Test
  void partsThatAreLeftOutAreCounted() {
    var set =
        valid(
            ENDPOINT,
            """
            {"cluster_name": "pay", "endpoints": [
              {"locality": {"zone": "a"}},
              {"locality": {"zone": "b"}, "load_balancing_weight": 1, "lb_endpoints": [
                {"endpoint": {"address": {"socket_address": {"address": "10.0.0.1"}}}},
                {"endpoint": {"address": {"socket_address":
                  {"address": "10.0.0.2", "port_value": 80}}}}]}]}
            """);

    assertThat(set.leftOut())
        .containsExactly("1 locality without load_balancing_weight", "1 endpoint without a port");
    assertThat(set.priorities().get(0).get(0).endpoints()).hasSize(1);
  }

  @Test
  void dropsKeepTheirOrderAndShare() {
    var set =
        valid(
            ENDPOINT,
            """
            {"cluster_name": "pay", "policy": {"drop_overloads": [
              {"category": "lb", "drop_percentage": {"numerator": 5}},
              {"category": "throttle",
               "drop_percentage": {"numerator": 5, "denominator": "TEN_THOUSAND"}},
              {"category": "more",
               "drop_percentage": {"numerator": 4294967295, "denominator": "MILLION"}}]}}
            """);

    assertThat(set.drops())
        .containsExactly(
            new DropCategory("lb", new Fraction(5, 100)),
            new DropCategory("throttle", new Fraction(5, 10_000)),
            new DropCategory("more", new Fraction(4294967295L, 1_000_000)));
    assertThat(set.drops().get(2).share().asDouble()).isEqualTo(1.0);
  }

  @Test
  void dropOfAnUnknownDenominatorIsRefused() {
    assertThat(
            errors(
                ENDPOINT,
                """
                {"cluster_name": "pay", "policy": {"drop_overloads": [
                  {"category": "lb", "drop_percentage": {"denominator": 3}}]}}
                """))
        .containsExactly("policy.drop_overloads[0].drop_percentage.denominator: unknown value 3");
  }

  private static String address(String ip, int port) {
    return "\"address\": {\"socket_address\": {\"address\": \""
        + ip
        + "\", \"port_value\": "
        + port
        + "}}";
  }

  private static String endpoint(String fields, String lbFields) {
    return "{\"endpoint\": {" + fields + "}" + lbFields + "}";
  }

  private static String locality(int priority, String zone, String... endpoints) {
    return "{\"locality\": {\"zone\": \""
        + zone
        + "\"}, \"load_balancing_weight\": 1, \"priority\": "
        + priority
        + ", \"lb_endpoints\": ["
        + String.join(",", endpoints)
        + "]}";
  }

  private static String oneLocality(String... endpoints) {
    return "{\"cluster_name\": \"p\", \"endpoints\": [" + locality(0, "a", endpoints) + "]}";
  }

  /** The endpoint's own proxy stands before that of its locality; other types are ignored. */
  @Test
  @Conformance("A86-01")
  void theProxyIsTheEndpointsOrElseTheLocalitys() {
    var set =
        valid(
            ENDPOINT,
            """
            {"cluster_name": "pay", "endpoints": [
              {"locality": {}, "load_balancing_weight": 1, %s, "lb_endpoints": [
                {"endpoint": {"address": {"socket_address":
                  {"address": "10.0.0.1", "port_value": 1}}}},
                {%s, "endpoint": {"address": {"socket_address":
                  {"address": "10.0.0.2", "port_value": 2}}}}]},
              {"locality": {"zone": "b"}, "load_balancing_weight": 1,
               "metadata": {"typed_filter_metadata": {"%s":
                 {"@type": "type.googleapis.com/google.protobuf.StringValue", "value": "x"}}},
               "lb_endpoints": [
                {"endpoint": {"address": {"socket_address":
                  {"address": "10.0.0.3", "port_value": 3}}}}]}]}
            """
                .formatted(
                    proxy("192.0.2.1", 3128), proxy("192.0.2.2", 8080), AddressDecoder.PROXY_KEY));

    assertThat(
            set.priorities().get(0).stream()
                .flatMap(locality -> locality.endpoints().stream())
                .map(endpoint -> endpoint.address() + " " + endpoint.address().proxy()))
        .containsExactly(
            "10.0.0.1:1 Optional[192.0.2.1:3128]",
            "10.0.0.2:2 Optional[192.0.2.2:8080]",
            "10.0.0.3:3 Optional.empty");
  }

  @Test
  @Conformance("A86-01")
  void aProxyThatIsNoAddressIsRefused() {
    assertThat(
            errors(
                ENDPOINT,
                """
                {"cluster_name": "pay", "endpoints": [
                  {"locality": {}, "load_balancing_weight": 1, %s}]}
                """
                    .formatted(proxy("proxy.example", 3128))))
        .singleElement()
        .asString()
        .startsWith("endpoints[0].metadata.typed_filter_metadata")
        .contains("is not an IP address");
  }

  private static String proxy(String ip, int port) {
    return """
        "metadata": {"typed_filter_metadata": {"%s":
          {"@type": "type.googleapis.com/envoy.config.core.v3.Address",
           "socket_address": {"address": "%s", "port_value": %d}}}}"""
        .formatted(AddressDecoder.PROXY_KEY, ip, port);
  }
}
