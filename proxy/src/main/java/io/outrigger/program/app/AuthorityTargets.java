package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.route.ForwardTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The targets of a forward where each request's {@code :authority} names one: made on first use,
 * bounded in number, dropped when nobody used them for an hour (SC-03). A request that waits, or
 * has no answer yet, uses its target.
 *
 * <p>A target that is dropped leaves the table first and is closed one sweep later, so a request
 * that found it just before still has time to be routed.
 */
@AnyThread
final class AuthorityTargets implements TargetResolver {
  private static final Duration IDLE = Duration.ofHours(1); // CONTRACT section 2, --forward
  private static final Duration SWEEP = Duration.ofMinutes(1);

  private final ControlLoop control;
  private final int max;
  private final Function<String, TargetRuntime> make;
  private final ConcurrentHashMap<String, Entry> byAuthority = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();
  private final List<TargetRuntime> leaving = new ArrayList<>();
  private boolean started;

  /** A target in use, and when it was used last. */
  private static final class Entry {
    final TargetRuntime target;
    final Outcome<ForwardTarget> answer;
    volatile long usedNanos;

    Entry(TargetRuntime target, long nowNanos) {
      this.target = target;
      this.answer = Outcome.ok(target);
      this.usedNanos = nowNanos;
    }
  }

  /**
   * @param make a target for an authority, not yet started; called on event loops
   */
  AuthorityTargets(ControlLoop control, int max, Function<String, TargetRuntime> make) {
    this.control = control;
    this.max = max;
    this.make = make;
  }

  /**
   * Starts the targets that there are and will be, and looks for idle ones; on the control loop.
   */
  void start() {
    control.checkInside();
    started = true;
    targets().forEach(TargetRuntime::start);
    control.schedule(SWEEP, this::sweep);
  }

  @Override
  public boolean needsAuthority() {
    return true;
  }

  @Override
  public Outcome<ForwardTarget> targetFor(CharSequence requestAuthority) {
    String authority = requestAuthority.toString();
    Entry entry = byAuthority.get(authority);
    if (entry == null) {
      Outcome<Entry> made = add(authority);
      if (!(made instanceof Outcome.Ok<Entry> ok)) {
        return Outcome.failed(made.status());
      }
      entry = ok.value();
    }
    entry.usedNanos = control.nanoTime();
    return entry.answer;
  }

  /** The target of an authority, if it was ever asked for; this is no use of it. */
  Optional<TargetRuntime> known(String authority) {
    return Optional.ofNullable(byAuthority.get(authority)).map(entry -> entry.target);
  }

  /** The targets in use. */
  List<TargetRuntime> targets() {
    return byAuthority.values().stream().map(entry -> entry.target).toList();
  }

  private Outcome<Entry> add(String authority) {
    if (count.incrementAndGet() > max) {
      count.decrementAndGet();
      return Outcome.failed(
          RpcStatus.unavailable(
              "target for authority \""
                  + authority
                  + "\" refused: "
                  + max
                  + " targets are in use (--max-targets)"));
    }
    var entry = new Entry(make.apply(authority), control.nanoTime());
    Entry other = byAuthority.putIfAbsent(authority, entry);
    if (other != null) { // another loop was first; ours was never started
      count.decrementAndGet();
      return Outcome.ok(other);
    }
    control.execute(() -> begin(entry.target));
    return Outcome.ok(entry);
  }

  private void begin(TargetRuntime target) {
    if (started) {
      target.start();
    }
  }

  private void sweep() {
    leaving.forEach(TargetRuntime::close);
    leaving.clear();
    long now = control.nanoTime();
    for (Iterator<Entry> entries = byAuthority.values().iterator(); entries.hasNext(); ) {
      Entry entry = entries.next();
      if (now - entry.usedNanos > IDLE.toNanos() && !entry.target.isInUse()) {
        entries.remove();
        count.decrementAndGet();
        leaving.add(entry.target);
      }
    }
    control.schedule(SWEEP, this::sweep);
  }
}
