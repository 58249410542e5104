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
 * The targets of a forward that takes its target from each request's {@code :authority}. A target
 * is created on first use and dropped after an hour without use (SC-03). {@code --max-targets}
 * limits the number of targets. A request that is queued or unanswered counts as use of its target.
 *
 * <p>A sweep removes an idle target from the table, and the next sweep closes the target. A request
 * that got the target before its removal from the table can still use it until the target closes.
 */
@AnyThread
final class AuthorityTargets implements TargetResolver {
  private static final Duration IDLE = Duration.ofHours(1);
  private static final Duration SWEEP = Duration.ofMinutes(1);

  private final ControlLoop control;
  private final int max;
  private final Function<String, TargetRuntime> factory;
  private final ConcurrentHashMap<String, Entry> byAuthority = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();
  private final List<TargetRuntime> removed = new ArrayList<>();
  private boolean started;

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

  /** Event loops call the factory, which creates a target but does not start it. */
  AuthorityTargets(ControlLoop control, int max, Function<String, TargetRuntime> factory) {
    this.control = control;
    this.max = max;
    this.factory = factory;
  }

  /**
   * Starts the existing targets and the sweep for idle targets. Targets that are added later start
   * immediately. Must run on the control loop.
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
      Outcome<Entry> added = add(authority);
      if (!(added instanceof Outcome.Ok<Entry> ok)) {
        return Outcome.failed(added.status());
      }
      entry = ok.value();
    }
    entry.usedNanos = control.nanoTime();
    return entry.answer;
  }

  /**
   * Returns the target of an authority, if the target exists. A call of this method does not count
   * as use of the target.
   */
  Optional<TargetRuntime> find(String authority) {
    return Optional.ofNullable(byAuthority.get(authority)).map(entry -> entry.target);
  }

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
    var entry = new Entry(factory.apply(authority), control.nanoTime());
    Entry other = byAuthority.putIfAbsent(authority, entry);
    if (other != null) { // another loop added its entry first; the new target was never started
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
    removed.forEach(TargetRuntime::close);
    removed.clear();
    long now = control.nanoTime();
    for (Iterator<Entry> entries = byAuthority.values().iterator(); entries.hasNext(); ) {
      Entry entry = entries.next();
      if (now - entry.usedNanos > IDLE.toNanos() && !entry.target.isInUse()) {
        entries.remove();
        count.decrementAndGet();
        removed.add(entry.target);
      }
    }
    control.schedule(SWEEP, this::sweep);
  }
}
