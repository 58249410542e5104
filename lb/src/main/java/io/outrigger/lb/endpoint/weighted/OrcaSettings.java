package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.lb.BackendMetrics;
import java.util.concurrent.atomic.AtomicLong;

/** The settings for load reports, readable by event loops, and the number of refused reports. */
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

  /**
   * Whether reports that responses carry are used: they are ignored while out-of-band reports are
   * requested.
   */
  boolean takesReportsOfCalls() {
    return !settings.oob();
  }

  void apply(BackendMetrics report, ReportedWeight weight) {
    if (!weight.onReport(report, settings, clock.nanoTime())) {
      refused.incrementAndGet();
    }
  }

  /** The number of reports that were refused because of impossible numbers. */
  long refused() {
    return refused.get();
  }
}
