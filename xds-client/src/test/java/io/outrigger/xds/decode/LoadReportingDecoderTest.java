package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.LoadReporting;
import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadReportingDecoderTest {
  private static final XdsServer SERVER =
      new XdsServer(
          "cp.test:443",
          new XdsServer.ChannelCredentials.Insecure(),
          List.of(),
          ServerFeatures.NONE);
  private static final DecodeContext CONTEXT =
      new DecodeContext(ServerFeatures.NONE, Map.of(), Optional.of(SERVER), false);
  private static final String SELF = ", \"lrs_server\": {\"self\": {}}";

  @Conformance({"A27-12", "A71-09"})
  @Test
  void selfIsTheServerThatSendsTheCluster() {
    assertThat(reporting(SELF)).contains(new LoadReporting(SERVER, PropagatedMetrics.NONE));
    assertThat(reporting("")).isEmpty();
  }

  @Conformance("A27-12")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"ads\": {}} | ads is not supported; must be self",
        "{\"path\": \"/x\"} | path is not supported; must be self",
        "{\"api_config_source\": {}} | api_config_source is not supported; must be self",
        "{} | names no source; must be self",
      })
  void anyOtherServerIsRefused(String server, String error) {
    assertThat(errors(CLUSTER, cluster(", \"lrs_server\": " + server)))
        .containsExactly("lrs_server: " + error);
  }

  @Conformance("A64-01")
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "cpu_utilization | cpu_utilization | false | false",
        "mem_utilization application_utilization"
            + " | application_utilization mem_utilization | false | false",
        "named_metrics.a named_metrics.b.c | named_metrics.a named_metrics.b.c | false | false",
        "named_metrics.a named_metrics.* | - | false | true",
        "utilization.* named_metrics.a | named_metrics.a | true | false",
        "utilization.disk named_metrics.a | named_metrics.a utilization.disk | false | false",
        "named_metrics rps eps request_cost.x CPU_UTILIZATION * | - | false | false",
      })
  void metricsAreThoseThatAreNamed(
      String names, String single, boolean allUtilization, boolean allNamed) {
    String list = "[\"" + names.replace(" ", "\", \"") + "\"]";

    assertThat(reporting(SELF + ", \"lrs_report_endpoint_metrics\": " + list))
        .map(LoadReporting::metrics)
        .contains(
            new PropagatedMetrics(
                single.equals("-") ? Set.of() : Set.of(single.split(" ")),
                allUtilization,
                allNamed));
  }

  @Test
  void whatTakesNoReportsGetsNone() {
    assertThat(valid(CLUSTER, cluster(SELF), Decoding.CONTEXT).loadReporting()).isEmpty();
  }

  @Test
  void anAggregateHasNoLoadOfItsOwn() {
    String aggregate =
        "{\"name\": \"all\", \"cluster_type\": {\"name\": \"envoy.clusters.aggregate\","
            + " \"typed_config\": {\"@type\": \"type.googleapis.com/"
            + ClusterSourceDecoder.AGGREGATE
            + "\", \"clusters\": [\"pay\"]}}, \"lb_policy\": \"CLUSTER_PROVIDED\""
            + SELF
            + "}";

    assertThat(valid(CLUSTER, aggregate, CONTEXT).loadReporting()).isEmpty();
  }

  private static Optional<LoadReporting> reporting(String fields) {
    return valid(CLUSTER, cluster(fields), CONTEXT).loadReporting();
  }

  private static String cluster(String fields) {
    return "{\"name\": \"pay\", \"type\": \"EDS\","
        + " \"eds_cluster_config\": {\"eds_config\": {\"ads\": {}}}"
        + fields
        + "}";
  }
}
