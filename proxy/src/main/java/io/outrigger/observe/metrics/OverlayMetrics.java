package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.outrigger.xds.status.OverlayStatus;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

/** The metrics of local policy; absent without local policy. */
@AnyThread
final class OverlayMetrics {
  private OverlayMetrics() {}

  static void addTo(OverlayStatus overlay, MetricSnapshots.Builder all) {
    if (overlay.rules().isEmpty() && overlay.problems().isEmpty()) {
      return;
    }
    var rules =
        Instruments.gauge(
            "outrigger_overlay_rules", "Rules of local policy in force, by what they match.");
    long idle = overlay.rules().stream().filter(OverlayStatus.Rule::matchesNothing).count();
    Instruments.add(rules, Labels.of("matches", "something"), overlay.rules().size() - idle);
    Instruments.add(rules, Labels.of("matches", "nothing"), idle);
    all.metricSnapshot(rules.build());
    var leftOut =
        Instruments.gauge(
            "outrigger_overlay_left_out",
            "Resources that go on without the rule, since it would make them invalid.");
    for (OverlayStatus.Rule rule : overlay.rules()) {
      Instruments.add(
          leftOut,
          Labels.of("rule", rule.rule().name()),
          rule.leftOut().size() + rule.moreLeftOut());
    }
    all.metricSnapshot(leftOut.build());
    var problems =
        Instruments.gauge(
            "outrigger_overlay_file_problems",
            "What is wrong with the files of local policy; the last good rules stay in force.");
    Instruments.add(problems, Labels.EMPTY, overlay.problems().size());
    all.metricSnapshot(problems.build());
  }
}
