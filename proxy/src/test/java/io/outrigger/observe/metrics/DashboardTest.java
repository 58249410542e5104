package io.outrigger.observe.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The dashboard of {@code docker/} asks only for what a scrape has. */
class DashboardTest {
  private static final Path DASHBOARD = Path.of("..", "docker", "grafana", "outrigger.json");
  private static final Pattern LABELS = Pattern.compile("\\{[^}]*}|by \\([^)]*\\)");
  private static final Pattern NAME = Pattern.compile("[a-z]+_[a-z0-9_]+");
  private static final Set<String> FUNCTIONS =
      Set.of("clamp_min", "histogram_quantile", "label_values");

  @Test
  void everyMetricOfTheDashboardIsExported() throws IOException {
    Set<String> exported = exported();
    JsonObject dashboard = JsonParser.parseString(Files.readString(DASHBOARD)).getAsJsonObject();
    List<String> queries = new ArrayList<>();
    for (JsonElement panel : dashboard.getAsJsonArray("panels")) {
      if (panel.getAsJsonObject().has("targets")) {
        panel
            .getAsJsonObject()
            .getAsJsonArray("targets")
            .forEach(target -> queries.add(target.getAsJsonObject().get("expr").getAsString()));
      }
    }
    assertThat(queries).hasSizeGreaterThan(40);

    for (String query : queries) {
      Set<String> names = new HashSet<>();
      var found =
          NAME.matcher(LABELS.matcher(query).replaceAll("").replace("$__rate_interval", ""));
      while (found.find()) {
        names.add(found.group());
      }
      names.removeAll(FUNCTIONS);
      assertThat(names).as(query).isNotEmpty().isSubsetOf(exported);
    }
  }

  @Test
  void everyInstrumentOfGrpcIsOnTheDashboard() throws IOException {
    String dashboard = Files.readString(DASHBOARD);

    assertThat(exported()).anyMatch(name -> name.startsWith("grpc_"));
    for (MetricSnapshot snapshot : snapshots()) {
      String name = snapshot.getMetadata().getPrometheusName();
      if (name.startsWith("grpc_")) {
        assertThat(dashboard).contains(name);
      }
    }
  }

  private static Iterable<MetricSnapshot> snapshots() {
    return MetricsText.snapshots(MetricsTextTest.everything());
  }

  /** All names that a scrape can have, as Prometheus stores them. */
  private static Set<String> exported() {
    Set<String> names = new HashSet<>();
    for (MetricSnapshot snapshot : snapshots()) {
      String name = snapshot.getMetadata().getPrometheusName();
      if (snapshot instanceof CounterSnapshot) {
        names.add(name + "_total");
      } else if (snapshot instanceof InfoSnapshot) {
        names.add(name + "_info");
      } else if (snapshot instanceof HistogramSnapshot) {
        names.addAll(List.of(name + "_bucket", name + "_count", name + "_sum"));
      } else {
        names.add(name);
      }
    }
    return names;
  }
}
