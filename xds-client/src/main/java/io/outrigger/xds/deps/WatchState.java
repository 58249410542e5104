package io.outrigger.xds.deps;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import java.util.Optional;

/**
 * What is known of one watched thing: nothing yet, a value, or the reason why there is none; and an
 * error beside a value that is still in use (A88 "ambient").
 */
@AnyThread
record WatchState<T>(Optional<Outcome<T>> outcome, RpcStatus ambient) {
  private static final WatchState<?> NOTHING = new WatchState<>(Optional.empty(), RpcStatus.OK);

  /** Neither a value nor an error so far; always the same instance. */
  @SuppressWarnings("unchecked") // holds no T
  static <T> WatchState<T> nothing() {
    return (WatchState<T>) NOTHING;
  }

  static <T> WatchState<T> of(Outcome<T> outcome) {
    return new WatchState<>(Optional.of(outcome), RpcStatus.OK);
  }

  /** The same, with {@code status} beside it; OK clears. */
  WatchState<T> withAmbient(RpcStatus status) {
    return new WatchState<>(outcome, status);
  }

  boolean isUnresolved() {
    return outcome.isEmpty();
  }

  /** The value, where there is one. */
  Optional<T> value() {
    return outcome.flatMap(Outcome::toOptional);
  }

  /** Why there is no value; OK while there is one or nothing is known. */
  RpcStatus error() {
    return outcome.map(Outcome::status).orElse(RpcStatus.OK);
  }
}
