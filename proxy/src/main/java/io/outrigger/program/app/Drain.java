package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.DurationText;
import io.outrigger.observe.events.EventKind;
import io.outrigger.observe.events.EventLog;
import io.outrigger.program.options.ProxyOptions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The graceful shutdown (CONTRACT section 2, SC-44).
 *
 * <pre>
 * SERVING  -> LEAVING  on begin: /ready returns 503, requests are still accepted
 * LEAVING  -> DRAINING on delay elapsed: ports close, GOAWAY is sent, open streams finish
 * DRAINING -> DONE     on last connection closed, or on timeout: remaining streams are cut
 * </pre>
 *
 * <p>In phase DRAINING, the served addresses close first. Forwards stay open until the last served
 * call has ended, because the app may call backends to answer a served call (CONTRACT section 13).
 */
@AnyThread
final class Drain {
  private static final Logger log = LoggerFactory.getLogger(Drain.class);

  private final ControlLoop control;
  private final EventLog events;
  private final List<RunningForward> forwards;
  private final List<RunningServe> serves;
  private final ProxyOptions.Drain limits;
  private final AtomicBoolean begun = new AtomicBoolean();
  private volatile boolean portsClosed;
  private volatile long cutRequests;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final CompletableFuture<Void> exitRequested = new CompletableFuture<>();

  /**
   * @param forwards contains all forwards; the caller may add to it until the shutdown begins
   * @param serves contains all served addresses; the caller may add to it until the shutdown begins
   */
  Drain(
      ControlLoop control,
      EventLog events,
      List<RunningForward> forwards,
      List<RunningServe> serves,
      ProxyOptions.Drain limits) {
    this.control = control;
    this.events = events;
    this.forwards = forwards;
    this.serves = serves;
    this.limits = limits;
  }

  boolean hasBegun() {
    return begun.get();
  }

  /** Returns a description of the shutdown's phase; empty before the shutdown begins. */
  Optional<String> phase() {
    return !hasBegun()
        ? Optional.empty()
        : Optional.of(
            portsClosed ? "draining: the port is closed" : "draining: requests are still accepted");
  }

  long cutRequests() {
    return cutRequests;
  }

  /** The future completes when the drain is over, if {@link #beginAndLeave} was called. */
  CompletableFuture<Void> ended() {
    return CompletableFuture.allOf(done, exitRequested);
  }

  /** Calls {@link #begin}, and lets the process exit when the drain is over. */
  CompletableFuture<Void> beginAndLeave() {
    exitRequested.complete(null);
    return begin();
  }

  /**
   * Begins the drain; further calls have no effect.
   *
   * @return a future that completes when no stream is left, or on timeout
   */
  CompletableFuture<Void> begin() {
    if (begun.compareAndSet(false, true)) {
      report(
          "begun, accepting for another %s, then finishing for at most %s"
              .formatted(
                  DurationText.format(limits.delay()), DurationText.format(limits.timeout())));
      control.schedule(limits.delay(), this::closePorts);
    }
    return done;
  }

  /** Runs on the control loop. */
  private void closePorts() {
    long active = active();
    all(serves, serve -> serve.port().drain())
        .thenCompose(
            served -> {
              portsClosed = true;
              return all(forwards, forward -> forward.listener().drain());
            })
        .whenComplete((ok, failure) -> finish(active, 0));
    control.schedule(limits.timeout(), () -> cut(active));
  }

  private static <T> CompletableFuture<Void> all(
      List<T> ports, Function<T, CompletableFuture<Void>> end) {
    return CompletableFuture.allOf(ports.stream().map(end).toArray(CompletableFuture<?>[]::new));
  }

  private void cut(long activeBefore) {
    long cut = active();
    if (!done.isDone()) {
      cutRequests = cut;
      var unused = closeAll();
      finish(activeBefore, cut);
    }
  }

  /** Closes all ports, and cuts all connections. Runs on the control loop. */
  CompletableFuture<Void> closeAll() {
    return CompletableFuture.allOf(
        all(serves, serve -> serve.port().close()),
        all(forwards, forward -> forward.listener().close()));
  }

  private void finish(long activeBefore, long cut) {
    if (done.complete(null)) {
      report("over, %d requests finished, %d cut".formatted(Math.max(0, activeBefore - cut), cut));
    }
  }

  private void report(String what) {
    log.info("drain: {}", what);
    control.execute(() -> events.add(EventKind.DRAIN, "drain", what));
  }

  private long active() {
    return forwards.stream()
            .mapToLong(forward -> forward.listener().forward().totals().active())
            .sum()
        + serves.stream().mapToLong(serve -> serve.calls().totals().active()).sum();
  }
}
