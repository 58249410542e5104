package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.lb.BackendMetrics;
import java.util.concurrent.atomic.AtomicLong;

/** Where reports arrive on event loops: the settings in force, and how many were refused. */
@AnyThread
final class OrcaSettings {
  private final ControlLoop clock;
  private final AtomicLong refused = new AtomicLong();
  private volatile WeightedRoundRobin settings;

  OrcaSettings(ControlLoop clock, WeightedRoundRobin settings) {
    this.clock = clock;
    this.settings = settings;
  }

  void settings(WeightedRoundRobin next) {
    settings = next;
  }

  WeightedRoundRobin settings() {
    return settings;
  }

  /** Whether reports that come with responses count: they do not while others are asked for. */
  boolean takesReportsOfCalls() {
    return !settings.oob();
  }

  /** Takes a report for {@code weight}. */
  void apply(BackendMetrics report, ReportedWeight weight) {
    if (!weight.onReport(report, settings, clock.nanoTime())) {
      refused.incrementAndGet();
    }
  }

  /** How many reports could not be true. */
  long refused() {
    return refused.get();
  }
}
