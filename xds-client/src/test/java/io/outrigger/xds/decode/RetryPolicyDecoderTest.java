package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.config.route.RouteAction;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryPolicyDecoderTest {
  private static final String AT = "virtual_hosts[0].routes[0].route.retry_policy.";

  @Conformance("A44-01")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "cancelled | CANCELLED",
        "deadline-exceeded | DEADLINE_EXCEEDED",
        "internal | INTERNAL",
        "resource-exhausted | RESOURCE_EXHAUSTED",
        "unavailable | UNAVAILABLE",
        "5xx, unavailable ,connect-failure,cancelled | CANCELLED UNAVAILABLE",
        "connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes | CANCELLED UNAVAILABLE",
        "5xx,gateway-error,reset | -",
        "UNAVAILABLE,Deadline-Exceeded | DEADLINE_EXCEEDED UNAVAILABLE",
        "aborted | -",
        "'' | -",
      })
  void wordsForCodesCountAndOthersDoNot(String words, String codes) {
    var policy = policy("\"retry_on\": \"" + words + "\"");

    assertThat(policy.map(RetryPolicy::codes).orElse(Set.of())).isEqualTo(codes(codes));
  }

  private static Set<Code> codes(String names) {
    return names.equals("-")
        ? Set.of()
        : Stream.of(names.split(" ")).map(Code::valueOf).collect(Collectors.toSet());
  }

  @Conformance("A44-02")
  @ParameterizedTest(name = "{0} retries -> {1} attempts")
  @CsvSource({"-, 2", "1, 2", "2, 3", "4, 5", "5, 5", "4294967295, 5"})
  void attemptsAreOneMoreThanRetriesAndAtMostFive(String retries, int attempts) {
    var policy = retrying(retries.equals("-") ? "" : ", \"num_retries\": " + retries);

    assertThat(policy.maxAttempts()).isEqualTo(attempts);
  }

  @Conformance("A44-03")
  @ParameterizedTest(name = "base {0}, max {1} -> {2} ms, {3} ms")
  @CsvSource({
    "-,       -,       25,   250",
    "0.1s,    -,       100,  1000",
    "0.1s,    5s,      100,  5000",
    "2s,      2s,      2000, 2000",
    "0.0001s, -,       1,    1",
    "0.0005s, 0.0007s, 1,    1",
    "0.0002s, -,       1,    2",
    "0.0001s, 3s,      1,    3000",
  })
  void intervalsHaveDefaultsAndAShortest(String base, String max, long baseMillis, long maxMillis) {
    var policy = retrying(base.equals("-") ? "" : ", " + backOff(base, max));

    assertThat(policy.baseInterval()).isEqualTo(Duration.ofMillis(baseMillis));
    assertThat(policy.maxInterval()).isEqualTo(Duration.ofMillis(maxMillis));
  }

  private static String backOff(String base, String max) {
    String second = max.equals("-") ? "" : ", \"max_interval\": \"" + max + "\"";
    return "\"retry_back_off\": {\"base_interval\": \"" + base + "\"" + second + "}";
  }

  /** The last rows have no usable codes: what is wrong is refused all the same. */
  @Conformance({"A44-02", "A44-03"})
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"num_retries\": 0 | num_retries: is 0; must be at least 1, leave the policy out for no retry",
        "\"retry_back_off\": {} | retry_back_off.base_interval: is missing",
        "\"retry_back_off\": {\"max_interval\": \"1s\"} | retry_back_off.base_interval: is missing",
        "\"retry_back_off\": {\"base_interval\": \"0s\"} | retry_back_off.base_interval: is 0; must be greater",
        "\"retry_back_off\": {\"base_interval\": \"-1s\"} | retry_back_off.base_interval: is negative",
        "\"retry_back_off\": {\"base_interval\": \"1s\", \"max_interval\": \"0s\"} | retry_back_off.max_interval: is 0; must be greater",
        "\"retry_back_off\": {\"base_interval\": \"1s\", \"max_interval\": \"-2s\"} | retry_back_off.max_interval: is negative",
        "\"retry_back_off\": {\"base_interval\": \"2s\", \"max_interval\": \"1s\"} | retry_back_off.max_interval: is less than base_interval",
        "\"retry_on\": \"5xx\", \"num_retries\": 0 | num_retries: is 0; must be at least 1, leave the policy out for no retry",
      })
  void whatIsOutOfRangeIsRefused(String fields, String error) {
    String policy =
        fields.contains("retry_on") ? fields : "\"retry_on\": \"unavailable\", " + fields;

    assertThat(errors(ROUTE, table(policy))).containsExactly(AT + error);
  }

  @Conformance("A44-04")
  @Test
  void thePolicyOfTheVirtualHostHoldsUnlessTheRouteHasOne() {
    String host = "\"retry_policy\": {\"retry_on\": \"internal\", \"num_retries\": 3},";
    var routes =
        valid(
                ROUTE,
                """
                {"name": "r", "virtual_hosts": [{%s "routes": [
                  {"match": {"prefix": "/a"}, "route": {"cluster": "c"}},
                  {"match": {"prefix": "/b"}, "route": {"cluster": "c",
                    "retry_policy": {"retry_on": "unavailable"}}},
                  {"match": {"prefix": "/c"}, "route": {"cluster": "c",
                    "retry_policy": {"retry_on": "5xx"}}}]}]}
                """
                    .formatted(host))
            .virtualHosts()
            .get(0)
            .routes();

    assertThat(routes)
        .extracting(route -> retry(route.action()).map(RetryPolicy::codes))
        .containsExactly(
            Optional.of(Set.of(Code.INTERNAL)),
            Optional.of(Set.of(Code.UNAVAILABLE)),
            Optional.empty());
  }

  @Conformance("A44-02")
  @Test
  void aWrongPolicyOfAVirtualHostIsRefusedThoughNoRouteTakesIt() {
    assertThat(
            errors(
                ROUTE,
                """
                {"name": "r", "virtual_hosts": [{"retry_policy": {"num_retries": 0}}]}"""))
        .singleElement()
        .asString()
        .startsWith("virtual_hosts[0].retry_policy.num_retries: is 0");
  }

  @Conformance("A44-07")
  @Test
  void whatOtherClientsKnowIsIgnored() {
    var policy =
        retrying(
            """
            , "per_try_timeout": "0.001s", "per_try_idle_timeout": "0.001s",
            "retry_priority": {"name": "p"}, "retry_host_predicate": [{"name": "h"}],
            "host_selection_retry_max_attempts": 9, "retriable_status_codes": [409],
            "retriable_headers": [{"name": "x", "present_match": true}],
            "retriable_request_headers": [{"name": "x", "present_match": true}],
            "rate_limited_retry_back_off": {"reset_headers": [{"name": "x"}]}""");

    assertThat(policy).isEqualTo(retrying(""));
  }

  /** Envoy bounds retries by what a cluster says; gRPC does not. */
  @Conformance("A44-12")
  @Test
  void whatAClusterSaysOfRetriesIsIgnored() {
    String cluster =
        """
        {"name": "pay", "type": "EDS", "eds_cluster_config": {"eds_config": {"ads": {}}}%s}""";
    String budget =
        """
        , "circuit_breakers": {
          "thresholds": [{"max_retries": 1, "track_remaining": true, "retry_budget": {
            "budget_percent": {"value": 1}, "min_retry_concurrency": 1}}],
          "per_host_thresholds": [{"max_retries": 1}]}""";

    assertThat(valid(CLUSTER, cluster.formatted(budget)))
        .isEqualTo(valid(CLUSTER, cluster.formatted("")));
  }

  private static RetryPolicy retrying(String more) {
    return policy("\"retry_on\": \"unavailable\"" + more).orElseThrow();
  }

  private static Optional<RetryPolicy> policy(String fields) {
    var route = valid(ROUTE, table(fields)).virtualHosts().get(0).routes().get(0);
    return retry(route.action());
  }

  private static Optional<RetryPolicy> retry(RouteAction action) {
    return ((RouteAction.Forward) action).retry();
  }

  private static String table(String policy) {
    return """
        {"name": "r", "virtual_hosts": [{"routes": [{"match": {"prefix": ""},
          "route": {"cluster": "c", "retry_policy": {%s}}}]}]}
        """
        .formatted(policy);
  }
}
