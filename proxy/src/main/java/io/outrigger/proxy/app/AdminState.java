package io.outrigger.proxy.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlThread;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.proxy.events.EventLog;
import io.outrigger.proxy.forward.MemoryLimit;
import io.outrigger.proxy.metrics.LbCounters;
import io.outrigger.proxy.metrics.LoopLag;
import io.outrigger.proxy.metrics.MetricsView;
import io.outrigger.proxy.options.ProgramVersion;
import io.outrigger.xds.stream.AdsClients;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What the admin endpoints may look at; state of the control loop is read on the control loop. */
@AnyThread
record AdminState(
    ControlThread control,
    Node node,
    AdsClients xds,
    LbCounters counters,
    EventLog events,
    List<RunningForward> forwards,
    Drain drain,
    BooleanSupplier isWarm,
    MemoryLimit memory,
    LoopLag loopLag) {

  /** Why requests should not come here, one line each; empty when ready. On the control loop. */
  List<String> notReady() {
    if (drain.hasBegun()) {
      return List.of("draining");
    }
    List<String> waiting =
        forwards.stream()
            .filter(forward -> !forward.hadConfig())
            .map(
                forward ->
                    "forward "
                        + forward.name()
                        + " has no configuration yet"
                        + (forward.error().isEmpty() ? "" : ": " + forward.error()))
            .toList();
    return waiting.isEmpty() && !isWarm.getAsBoolean() ? List.of("warming up") : waiting;
  }

  /** What a scrape shows. On the control loop. */
  MetricsView metrics() {
    return new MetricsView(
        ProgramVersion.text(),
        forwards.stream().map(AdminState::metricsOf).toList(),
        xds.status(),
        counters.counts(),
        new MetricsView.ProcessFigures(
            control.failures(),
            MemoryLimit.directBytes(),
            memory.usedBytes(),
            memory.maxBytes(),
            loopLag.look()));
  }

  private static MetricsView.Forward metricsOf(RunningForward forward) {
    return new MetricsView.Forward(
        forward.name(),
        forward.target(),
        forward.hadConfig(),
        forward.listener().connections(),
        forward.listener().refused(),
        forward.listener().forward().totals(),
        forward.endpoints().counts());
  }

  /** Runs {@code view} on the control loop; what it returns must be immutable. */
  <T> CompletionStage<T> ask(Supplier<T> view) {
    var answer = new CompletableFuture<T>();
    control.execute(
        () -> {
          try {
            answer.complete(view.get());
          } catch (RuntimeException | AssertionError e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }
}
