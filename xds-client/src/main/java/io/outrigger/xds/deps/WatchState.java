package io.outrigger.xds.deps;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import java.util.Optional;

/**
 * The state of one watched resource: unresolved, a value, or a failure; and the ambient error of a
 * value that is still in use (A88).
 */
@AnyThread
public record WatchState<T>(Optional<Outcome<T>> outcome, RpcStatus ambient) {
  /** Returns the unresolved state, which has neither a value nor an error. */
  public static <T> WatchState<T> nothing() {
    return new WatchState<>(Optional.empty(), RpcStatus.OK);
  }

  public static <T> WatchState<T> of(Outcome<T> outcome) {
    return new WatchState<>(Optional.of(outcome), RpcStatus.OK);
  }

  /**
   * Returns the same state with {@code status} as the ambient error; a status of OK removes the
   * error.
   */
  WatchState<T> withAmbient(RpcStatus status) {
    return new WatchState<>(outcome, status);
  }

  public boolean isUnresolved() {
    return outcome.isEmpty();
  }

  public Optional<T> value() {
    return outcome.flatMap(Outcome::toOptional);
  }

  public RpcStatus error() {
    return outcome.map(Outcome::status).orElse(RpcStatus.OK);
  }
}
