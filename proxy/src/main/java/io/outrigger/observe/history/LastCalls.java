package io.outrigger.observe.history;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallSummary;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The last call of each path of a forward, by sample: of each event loop at most one in {@link
 * #PERIOD_NANOS}, which at a hundred calls a second is nearly every call, and at many thousand
 * costs nearly none of them anything.
 */
@AnyThread
public final class LastCalls implements CallObserver {
  static final long PERIOD_NANOS = 10_000_000;
  static final int MAX_PATHS = 256;

  /** Longs per loop: each loop's time has a cache line to itself. */
  private static final int STRIDE = 8;

  private static final int MAX_PATH = 1024;

  private final Clock clock;
  private final long[] nextNanos;
  private final boolean[] isStarted;
  private final ConcurrentHashMap<String, LastCall> byPath = new ConcurrentHashMap<>();

  /**
   * @param loops how many event loops there are
   */
  public LastCalls(Clock clock, int loops) {
    this.clock = clock;
    nextNanos = new long[loops * STRIDE];
    isStarted = new boolean[loops * STRIDE];
  }

  @Override
  public boolean onEnded(CallSummary call) {
    int slot = call.loop() * STRIDE;
    long now = call.endedNanos();
    if (isStarted[slot] && now - nextNanos[slot] < 0) {
      return true;
    }
    isStarted[slot] = true;
    nextNanos[slot] = now + PERIOD_NANOS;
    keep(call);
    return true;
  }

  private void keep(CallSummary call) {
    String path = withoutQuery(call.path());
    if (path.length() > MAX_PATH) {
      return;
    }
    if (byPath.size() >= MAX_PATHS && !byPath.containsKey(path)) {
      byPath.keySet().stream().findAny().ifPresent(byPath::remove); // whoever asks random paths
    }
    byPath.put(path, LastCall.of(call, clock.millis()));
  }

  /** The last one of a path, without regard to queries. */
  public Optional<LastCall> of(String path) {
    return Optional.ofNullable(byPath.get(withoutQuery(path)));
  }

  private static String withoutQuery(String path) {
    int query = path.indexOf('?');
    return query < 0 ? path : path.substring(0, query);
  }
}
