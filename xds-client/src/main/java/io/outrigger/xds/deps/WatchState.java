package io.outrigger.xds.deps;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import java.util.Optional;

/**
 * The state of one watched resource (A88).
 *
 * @param outcome empty while the resource is unresolved: it has neither a value nor an error
 * @param ambient the error of a value that is in use, or OK
 */
public record WatchState<T>(Optional<Outcome<T>> outcome, RpcStatus ambient) {
  public static <T> WatchState<T> unresolved() {
    return new WatchState<>(Optional.empty(), RpcStatus.OK);
  }

  public static <T> WatchState<T> of(Outcome<T> outcome) {
    return new WatchState<>(Optional.of(outcome), RpcStatus.OK);
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
