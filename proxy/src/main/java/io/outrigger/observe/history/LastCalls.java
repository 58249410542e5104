package io.outrigger.observe.history;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallRecord;
import io.outrigger.dataplane.calls.CallSummary;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Samples the last call of each path of a forward. Each event loop records at most one call per
 * {@link #PERIOD_NANOS}. At a hundred calls per second this samples nearly every call; at many
 * thousand, the cost per call is negligible.
 */
@AnyThread
public final class LastCalls implements CallObserver {
  static final long PERIOD_NANOS = 10_000_000;
  static final int MAX_PATHS = 256;

  /** The number of array elements per loop, so that each loop's time has its own cache line. */
  private static final int STRIDE = 8;

  /** Calls whose app sends longer texts are not kept. */
  private static final int MAX_TEXT = 2048;

  private final String forward;
  private final Clock clock;
  private final long[] nextNanos;
  private final boolean[] isStarted;
  private final ConcurrentHashMap<String, CallRecord> byPath = new ConcurrentHashMap<>();

  public LastCalls(String forward, Clock clock, int loops) {
    this.forward = forward;
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
    CallRecord ended = call.record(forward, clock.millis());
    if (ended.textLength() > MAX_TEXT) {
      return;
    }
    String path = withoutQuery(ended.path());
    if (byPath.size() >= MAX_PATHS && !byPath.containsKey(path)) {
      byPath.keySet().stream().findAny().ifPresent(byPath::remove); // paths may be random
    }
    byPath.put(path, ended);
  }

  /** The last sampled call with the given path; query strings are ignored. */
  public Optional<CallRecord> of(String path) {
    return Optional.ofNullable(byPath.get(withoutQuery(path)));
  }

  private static String withoutQuery(String path) {
    int query = path.indexOf('?');
    return query < 0 ? path : path.substring(0, query);
  }
}
