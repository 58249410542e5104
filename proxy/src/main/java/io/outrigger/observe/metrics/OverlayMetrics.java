package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.outrigger.xds.status.OverlayStatus;
import io.prometheus.metrics.model.snapshots.Labels;

/** The metrics of local policy; absent without local policy. */
@AnyThread
final class OverlayMetrics {
  private OverlayMetrics() {}

  static void addTo(OverlayStatus overlay, Instruments all) {
    if (overlay.rules().isEmpty() && overlay.problems().isEmpty()) {
      return;
    }
    var rules =
        all.gauge("outrigger_overlay_rules", "Rules of local policy in force, by what they match.");
    long idle = overlay.rules().stream().filter(OverlayStatus.Rule::matchesNothing).count();
    rules.add(Labels.of("matches", "something"), overlay.rules().size() - idle);
    rules.add(Labels.of("matches", "nothing"), idle);
    var leftOut =
        all.gauge(
            "outrigger_overlay_left_out",
            "Resources that go on without the rule, since it would make them invalid.");
    for (OverlayStatus.Rule rule : overlay.rules()) {
      leftOut.add(
          Labels.of("rule", rule.rule().name()), rule.leftOut().size() + rule.moreLeftOut());
    }
    all.gauge(
            "outrigger_overlay_file_problems",
            "What is wrong with the files of local policy; the last good rules stay in force.")
        .add(Labels.EMPTY, overlay.problems().size());
  }
}
