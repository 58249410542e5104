package io.outrigger.abuse;

import io.outrigger.base.WaitingClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The calls of a neighbour that began in one stretch of time, with what became of them. Written by
 * the neighbour's loop, read by anybody.
 */
final class Calls {
  static final String OK = "OK";

  /** What the sidecar says of a call that it refuses for want of memory, as its docs have it. */
  static final String REFUSED = "overload";

  private static final String UNANSWERED = "no answer";

  /** One call; mutable, since it is made when it begins. */
  static final class Call {
    private final long beganNanos;
    private long endedNanos;
    private String outcome = UNANSWERED;

    private Call(long beganNanos) {
      this.beganNanos = beganNanos;
    }
  }

  private final List<Call> calls = new ArrayList<>();

  private boolean isOver;

  /** When no more was waited for; 0 before. */
  private long settledNanos;

  /**
   * The neighbour's thread may take this object before {@link #over} and call {@code begin} after
   * it; such a call is not counted.
   *
   * @param dueNanos when it should have begun: that the caller was held up counts as latency
   */
  synchronized Call begin(long dueNanos) {
    var call = new Call(dueNanos);
    if (!isOver) {
      calls.add(call);
    }
    return call;
  }

  /** Calls that begin from now on do not count; the others may still be answered. */
  synchronized void over() {
    isOver = true;
  }

  synchronized void end(Call call, String outcome) {
    if (settledNanos == 0) {
      call.endedNanos = WaitingClock.nanoTime();
      call.outcome = outcome;
    }
  }

  /** Calls without an answer have failed by now; what comes later does not count. */
  synchronized void settle() {
    settledNanos = WaitingClock.nanoTime();
  }

  synchronized int count() {
    return calls.size();
  }

  /** Those that were not answered yet. */
  synchronized int open() {
    return (int) calls.stream().filter(call -> call.outcome.equals(UNANSWERED)).count();
  }

  /** What became of those that failed, with how many each; what had no answer, with its wait. */
  synchronized Map<String, Integer> failures() {
    Map<String, Integer> failures = new TreeMap<>();
    for (Call call : calls) {
      if (!call.outcome.equals(OK) && !call.outcome.equals(REFUSED)) {
        failures.merge(failure(call), 1, Integer::sum);
      }
    }
    return failures;
  }

  private String failure(Call call) {
    return call.outcome.equals(UNANSWERED)
        ? UNANSWERED + " in " + Duration.ofNanos(settledNanos - call.beganNanos).toSeconds() + " s"
        : call.outcome;
  }

  synchronized int refused() {
    return (int) calls.stream().filter(call -> call.outcome.equals(REFUSED)).count();
  }

  /**
   * The latency that {@code share} of the calls do not exceed; one that was not answered has waited
   * until now.
   */
  synchronized Duration quantile(double share) {
    long now = settledNanos == 0 ? WaitingClock.nanoTime() : settledNanos;
    long[] sorted = calls.stream().mapToLong(call -> latency(call, now)).sorted().toArray();
    if (sorted.length == 0) {
      return Duration.ZERO;
    }
    int place = (int) Math.ceil(share * sorted.length) - 1;
    return Duration.ofNanos(sorted[Math.max(0, place)]);
  }

  private static long latency(Call call, long now) {
    return (call.outcome.equals(UNANSWERED) ? now : call.endedNanos) - call.beganNanos;
  }

  /**
   * How long after {@code sinceNanos} the last call went wrong of those that began after it.
   *
   * @param bound a call that takes longer counts as one that went wrong
   * @param enough calls must have gone well behind that
   * @return empty when not so many have
   */
  synchronized Optional<Duration> recovery(long sinceNanos, Duration bound, int enough) {
    long wrong = sinceNanos;
    int well = 0;
    for (Call call : calls) {
      if (call.beganNanos < sinceNanos || call.outcome.equals(UNANSWERED)) {
        continue;
      }
      if (call.outcome.equals(OK) && latency(call, 0) <= bound.toNanos()) {
        well++;
      } else {
        well = 0;
        wrong = call.endedNanos;
      }
    }
    return well < enough ? Optional.empty() : Optional.of(Duration.ofNanos(wrong - sinceNanos));
  }
}
