package io.outrigger.xds.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsRequest;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.load.ClusterLoad;
import io.outrigger.config.load.LocalityLoad;
import io.outrigger.config.load.MetricTotal;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoadMessagesTest {
  @Conformance({"A27-12", "A32-08", "A64-01"})
  @Test
  void everythingHasItsField() throws Exception {
    var locality =
        new LocalityLoad(
            new Locality("r", "z", "s"),
            10,
            5,
            3,
            2,
            Map.of(
                "cpu_utilization", new MetricTotal(1, 0.5),
                "mem_utilization", new MetricTotal(2, 0.25),
                "application_utilization", new MetricTotal(3, 0.75),
                "utilization.disk", new MetricTotal(4, 1.5),
                "named_metrics.queue", new MetricTotal(5, 6.5)));
    var load =
        new ClusterLoad(
            "pay",
            "pay-eds",
            Duration.ofMillis(10_250),
            Map.of("throttle", 4L, "lb", 1L),
            7,
            List.of(locality));

    assertThat(LoadMessages.report(List.of(load)))
        .isEqualTo(
            TextFormat.parse(
                """
                cluster_stats {
                  cluster_name: "pay"
                  cluster_service_name: "pay-eds"
                  load_report_interval { seconds: 10 nanos: 250000000 }
                  total_dropped_requests: 12
                  dropped_requests { category: "lb" dropped_count: 1 }
                  dropped_requests { category: "throttle" dropped_count: 4 }
                  upstream_locality_stats {
                    locality { region: "r" zone: "z" sub_zone: "s" }
                    total_issued_requests: 10
                    total_successful_requests: 5
                    total_error_requests: 3
                    total_requests_in_progress: 2
                    cpu_utilization {
                      num_requests_finished_with_metric: 1 total_metric_value: 0.5
                    }
                    mem_utilization {
                      num_requests_finished_with_metric: 2 total_metric_value: 0.25
                    }
                    application_utilization {
                      num_requests_finished_with_metric: 3 total_metric_value: 0.75
                    }
                    load_metric_stats {
                      metric_name: "named_metrics.queue"
                      num_requests_finished_with_metric: 5
                      total_metric_value: 6.5
                    }
                    load_metric_stats {
                      metric_name: "utilization.disk"
                      num_requests_finished_with_metric: 4
                      total_metric_value: 1.5
                    }
                  }
                }
                """,
                LoadStatsRequest.class));
  }

  @Conformance("A27-12")
  @Test
  void aServiceNameIsReportedIfTheClusterGivesOne() {
    assertThat(serviceName("")).isEmpty(); // such as LOGICAL_DNS
    assertThat(serviceName("pay")).as("equal to that of the cluster").isEqualTo("pay");
    assertThat(serviceName("other")).isEqualTo("other");
  }

  private static String serviceName(String edsServiceName) {
    var load = new ClusterLoad("pay", edsServiceName, Duration.ZERO, Map.of(), 0, List.of());
    return LoadMessages.report(List.of(load)).getClusterStats(0).getClusterServiceName();
  }
}
