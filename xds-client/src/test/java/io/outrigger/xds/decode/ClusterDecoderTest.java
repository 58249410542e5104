package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterDecoderTest {
  private static final String EDS = "\"type\": \"EDS\", \"eds_cluster_config\": ";
  private static final String ADS = EDS + "{\"eds_config\": {\"ads\": {}}}";

  @Test
  void plainEdsClusterHasTheDefaults() {
    assertThat(valid(CLUSTER, cluster(ADS)))
        .isEqualTo(
            new ClusterResource(
                "pay",
                new ClusterSource.Eds("pay", ""),
                ClusterResource.DEFAULT_POLICY,
                new ClusterResource.Limits(1024, 1),
                java.util.Optional.empty(),
                new ClusterResource.Sessions(
                    java.time.Duration.ofHours(1),
                    Set.of(HealthStatus.UNKNOWN, HealthStatus.HEALTHY))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\"ads\": {}", "\"self\": {}", "\"ads\": {}, \"resource_api_version\": 2"})
  @Conformance("A27-05")
  void endpointsComeFromTheSameServer(String source) {
    var cluster =
        valid(
            CLUSTER,
            cluster(EDS + "{\"eds_config\": {" + source + "}, \"service_name\": \"pay-eds\"}"));

    assertThat(cluster.source()).isEqualTo(new ClusterSource.Eds("pay-eds"));
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"service_name\": \"x\"} | is missing; must be ads or self",
        "{\"eds_config\": {}} | names no source; must be ads or self",
        "{\"eds_config\": {\"path\": \"/eds\"}} | path is not supported; must be ads or self",
        "{\"eds_config\": {\"path_config_source\": {}}}"
            + " | path_config_source is not supported; must be ads or self",
      })
  @Conformance("A27-05")
  void endpointsFromElsewhereAreRefused(String config, String error) {
    assertThat(errors(CLUSTER, cluster(EDS + config)))
        .containsExactly("eds_cluster_config.eds_config: " + error);
  }

  @Test
  @Conformance("A47-06")
  void clusterWithAnXdstpNameMustNameItsEndpoints() {
    String name = "xdstp://a/envoy.config.cluster.v3.Cluster/pay";

    assertThat(errors(CLUSTER, "{\"name\": \"" + name + "\", " + ADS + "}"))
        .containsExactly(
            "eds_cluster_config.service_name: is empty, but the cluster's name cannot name"
                + " endpoints");
    assertThat(
            valid(
                    CLUSTER,
                    "{\"name\": \""
                        + name
                        + "\", "
                        + EDS
                        + "{\"eds_config\": {\"self\": {}}, \"service_name\": \"e\"}}")
                .source())
        .isEqualTo(new ClusterSource.Eds("e"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"STATIC", "STRICT_DNS", "ORIGINAL_DST"})
  @Conformance("A37-07")
  void otherTypesAreRefused(String type) {
    assertThat(errors(CLUSTER, cluster("\"type\": \"" + type + "\"")))
        .containsExactly(
            "type: "
                + type
                + " is not supported; supported: type EDS, type LOGICAL_DNS, and a cluster_type"
                + " of envoy.extensions.clusters.aggregate.v3.ClusterConfig"
                + " or envoy.extensions.clusters.dns.v3.DnsCluster");
  }

  @Test
  @Conformance("A37-07")
  void clusterWithoutTypeIsRefused() {
    assertThat(errors(CLUSTER, cluster("\"alt_stat_name\": \"x\"")))
        .singleElement()
        .asString()
        .startsWith("type: is missing; supported: type EDS");
    assertThat(errors(CLUSTER, Cluster.newBuilder().setName("pay").setTypeValue(77).build()))
        .singleElement()
        .asString()
        .startsWith("type: UNRECOGNIZED is not supported");
  }

  @Test
  @Conformance("A37-01")
  void logicalDnsClusterHasOneName() {
    var cluster =
        valid(
            CLUSTER,
            dns(
                """
                {"endpoints": [{"lb_endpoints": [{"endpoint": {"address": {"socket_address":
                  {"address": "db.example.com", "port_value": 5432}}}}]}]}
                """));

    assertThat(cluster.source()).isEqualTo(new ClusterSource.Dns("db.example.com", 5432, true));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"true", "false"})
  @Conformance("A37-07")
  void aDnsClusterIsLogicalOrStrictAsItSays(boolean single) {
    var cluster =
        valid(
            CLUSTER,
            dnsCluster(
                "\"dns_refresh_rate\": \"5s\", \"all_addresses_in_single_endpoint\": " + single,
                """
                {"endpoints": [{"lb_endpoints": [{"endpoint": {"address": {"socket_address":
                  {"address": "db.example.com", "port_value": 5432}}}}]}]}
                """));

    assertThat(cluster.source())
        .isEqualTo(
            single
                ? new ClusterSource.Dns("db.example.com", 5432, true)
                : new ClusterSource.Dns("db.example.com", 5432, false));
    assertThat(cluster.policy())
        .isEqualTo(new BalancingPolicy.WrrLocality(new BalancingPolicy.LeastRequest(2)));
    assertThat(cluster.limits()).isEqualTo(ClusterResource.Limits.DEFAULT);
  }

  @Test
  @Conformance("A37-01")
  void aDnsClusterWithoutExactlyOneNameIsRefused() {
    assertThat(errors(CLUSTER, dnsCluster("", "{\"endpoints\": [{}, {}]}")))
        .containsExactly("load_assignment.endpoints: has 2 entries; must be 1");
    var broken = Cluster.newBuilder().setName("pay");
    broken
        .getClusterTypeBuilder()
        .setTypedConfig(
            Any.newBuilder()
                .setTypeUrl("type.googleapis.com/" + ClusterSourceDecoder.DNS)
                .setValue(ByteString.copyFrom(new byte[] {10, 99})));
    assertThat(errors(CLUSTER, broken.build()))
        .singleElement()
        .asString()
        .startsWith("cluster_type.typed_config: not a readable " + ClusterSourceDecoder.DNS);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | endpoints: has 0 entries; must be 1",
        "{\"endpoints\": [{}, {}]} | endpoints: has 2 entries; must be 1",
        "{\"endpoints\": [{}]} | endpoints[0].lb_endpoints: has 0 entries; must be 1",
        "{\"endpoints\": [{\"lb_endpoints\": [{}, {}]}]}"
            + " | endpoints[0].lb_endpoints: has 2 entries; must be 1",
      })
  @Conformance("A37-01")
  void logicalDnsClusterWithoutExactlyOneEndpointIsRefused(String assignment, String error) {
    assertThat(errors(CLUSTER, dns(assignment))).containsExactly("load_assignment." + error);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | : socket_address is missing; no other form is supported",
        "{\"pipe\": {\"path\": \"/x\"}} | : socket_address is missing; no other form is supported",
        "{\"socket_address\": {\"port_value\": 1}} | .socket_address.address: is empty",
        "{\"socket_address\": {\"address\": \"a\"}} | .socket_address.port_value: is missing",
        "{\"socket_address\": {\"address\": \"a\", \"named_port\": \"http\"}}"
            + " | .socket_address.port_value: is missing",
        "{\"socket_address\": {\"address\": \"a\", \"port_value\": 0}}"
            + " | .socket_address.port_value: 0 is not between 1 and 65535",
        "{\"socket_address\": {\"address\": \"a\", \"port_value\": 1, \"resolver_name\": \"x\"}}"
            + " | .socket_address.resolver_name: is not supported; must be empty",
      })
  @Conformance("A37-01")
  void logicalDnsClusterWithoutHostAndPortIsRefused(String address, String error) {
    String assignment =
        "{\"endpoints\": [{\"lb_endpoints\": [{\"endpoint\": {\"address\": " + address + "}}]}]}";

    assertThat(errors(CLUSTER, dns(assignment)))
        .containsExactly("load_assignment.endpoints[0].lb_endpoints[0].endpoint.address" + error);
  }

  @Test
  @Conformance("A37-01")
  void logicalDnsClusterWithoutAssignmentIsRefused() {
    assertThat(errors(CLUSTER, cluster("\"type\": \"LOGICAL_DNS\"")))
        .containsExactly("load_assignment: is missing");
  }

  @Test
  void aggregateNamesItsClustersInOrder() {
    var cluster = valid(CLUSTER, aggregate("\"clusters\": [\"b\", \"a\", \"b\"]", ""));

    assertThat(cluster.source()).isEqualTo(new ClusterSource.Aggregate(List.of("b", "a", "b")));
  }

  @Test
  @Conformance("A75-16")
  void aggregateWithoutClustersIsRefused() {
    assertThat(errors(CLUSTER, aggregate("", "")))
        .containsExactly("cluster_type.typed_config.clusters: is empty");
  }

  @Test
  @Conformance("A75-16")
  void customTypeOtherThanAggregateIsRefused() {
    var other = Cluster.newBuilder().setName("pay");
    other.getClusterTypeBuilder().setTypedConfig(Any.pack(Router.getDefaultInstance()));
    var broken = Cluster.newBuilder().setName("pay");
    broken
        .getClusterTypeBuilder()
        .setTypedConfig(
            Any.newBuilder()
                .setTypeUrl("type.googleapis.com/" + ClusterSourceDecoder.AGGREGATE)
                .setValue(ByteString.copyFrom(new byte[] {10, 99})));
    var empty = Cluster.newBuilder().setName("pay");
    empty.getClusterTypeBuilder().setName("envoy.clusters.aggregate");

    assertThat(errors(CLUSTER, other.build()))
        .singleElement()
        .asString()
        .startsWith(
            "cluster_type.typed_config: holds \"envoy.extensions.filters.http.router.v3.Router\";"
                + " supported: ");
    assertThat(errors(CLUSTER, broken.build()))
        .singleElement()
        .asString()
        .startsWith("cluster_type.typed_config: not a readable " + ClusterSourceDecoder.AGGREGATE);
    assertThat(errors(CLUSTER, empty.build()))
        .singleElement()
        .asString()
        .startsWith("cluster_type.typed_config: holds \"\"");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | 1024",
        "{\"thresholds\": []} | 1024",
        "{\"thresholds\": [{\"max_connections\": 5}]} | 1024",
        "{\"thresholds\": [{\"max_requests\": 7}]} | 7",
        "{\"thresholds\": [{\"max_requests\": 7}, {\"max_requests\": 9}]} | 7",
        "{\"thresholds\": [{\"max_connections\": 5}, {\"max_requests\": 9}]} | 1024",
        "{\"thresholds\": [{\"priority\": \"HIGH\", \"max_requests\": 7}]} | 1024",
        "{\"thresholds\": [{\"priority\": \"HIGH\", \"max_requests\": 7},"
            + " {\"priority\": \"DEFAULT\", \"max_requests\": 9}]} | 9",
        "{\"thresholds\": [{\"max_requests\": 4294967295}]} | 4294967295",
        "{\"thresholds\": [{\"max_requests\": 0}]} | 0",
        "{\"per_host_thresholds\": [{\"max_requests\": 3}]} | 1024",
      })
  @Conformance({"A32-01", "A32-07"})
  void firstThresholdOfTheDefaultPriorityDecides(String breakers, long expected) {
    assertThat(
            valid(CLUSTER, cluster(ADS + ", \"circuit_breakers\": " + breakers))
                .limits()
                .maxRequests())
        .isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | 1",
        "{\"thresholds\": [{\"max_connections\": 5}]} | 1",
        "{\"per_host_thresholds\": [{\"max_requests\": 5}]} | 1",
        "{\"per_host_thresholds\": [{\"max_connections\": 5}]} | 5",
        "{\"per_host_thresholds\": [{\"max_requests\": 5}, {\"max_connections\": 5}]} | 1",
        "{\"per_host_thresholds\": [{\"priority\": \"HIGH\", \"max_connections\": 5},"
            + " {\"max_connections\": 7}]} | 7",
        "{\"per_host_thresholds\": [{\"priority\": \"HIGH\", \"max_connections\": 0}]} | 1",
        "{\"per_host_thresholds\": [{\"max_connections\": 4294967295}]} | 10",
      })
  @Conformance("A105-01")
  void connectionsPerHostAreTheFirstEntrysOfTheDefaultPriority(String breakers, long expected) {
    assertThat(
            valid(CLUSTER, cluster(ADS + ", \"circuit_breakers\": " + breakers))
                .limits()
                .maxConnections())
        .isEqualTo(expected);
  }

  @Conformance("A105-01")
  @Test
  void noConnectionsAtAllIsAnError() {
    String breakers =
        "{\"per_host_thresholds\": [{\"priority\": \"HIGH\"}, {\"max_connections\": 0}]}";

    assertThat(errors(CLUSTER, cluster(ADS + ", \"circuit_breakers\": " + breakers)))
        .containsExactly(
            "circuit_breakers.per_host_thresholds[1].max_connections: must be at least 1");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | UNKNOWN,HEALTHY",
        "{\"override_host_status\": {}} | ''",
        "{\"override_host_status\": {\"statuses\": [\"HEALTHY\", \"DRAINING\"]}}"
            + " | HEALTHY,DRAINING",
        "{\"override_host_status\": {\"statuses\": [\"DEGRADED\", \"TIMEOUT\", 99]}} | ''",
      })
  void sessionsMayReachTheStatusesThatAreGiven(String config, String expected) {
    var statuses =
        valid(CLUSTER, cluster(ADS + ", \"common_lb_config\": " + config))
            .sessions()
            .overrideHostStatus();

    assertThat(statuses.stream().map(HealthStatus::name))
        .containsExactlyInAnyOrderElementsOf(
            expected.isEmpty() ? List.of() : List.of(expected.split(",", -1)));
  }

  private static String dns(String assignment) {
    return cluster("\"type\": \"LOGICAL_DNS\", \"load_assignment\": " + assignment);
  }

  private static String dnsCluster(String config, String assignment) {
    return cluster(
        "\"cluster_type\": {\"name\": \"envoy.cluster.dns\", \"typed_config\": {"
            + "\"@type\": \"type.googleapis.com/"
            + ClusterSourceDecoder.DNS
            + "\""
            + (config.isEmpty() ? "" : ", " + config)
            + "}}, \"lb_policy\": \"LEAST_REQUEST\", \"load_assignment\": "
            + assignment);
  }

  private static String aggregate(String config, String fields) {
    return cluster(
        "\"cluster_type\": {\"name\": \"envoy.clusters.aggregate\", \"typed_config\": {"
            + "\"@type\": \"type.googleapis.com/"
            + ClusterSourceDecoder.AGGREGATE
            + "\""
            + (config.isEmpty() ? "" : ", " + config)
            + "}}"
            + fields);
  }

  private static String cluster(String fields) {
    return "{\"name\": \"pay\", " + fields + "}";
  }
}
