package io.outrigger.base;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A value, or a status that explains why there is no value. */
public sealed interface Outcome<T> {
  record Ok<T>(T value) implements Outcome<T> {
    /** Replaces the generated method, whose first call delays the start by milliseconds. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Ok<?> that && Objects.equals(value, that.value);
    }

    @Override
    public int hashCode() {
      return Objects.hashCode(value);
    }
  }

  /** An outcome without a value; its {@code status} is never OK. */
  record Failed<T>(RpcStatus status) implements Outcome<T> {
    public Failed {
      if (status.isOk()) {
        throw new IllegalArgumentException("a failure with status OK");
      }
    }
  }

  static <T> Outcome<T> ok(T value) {
    return new Ok<>(value);
  }

  static <T> Outcome<T> failed(RpcStatus status) {
    return new Failed<>(status);
  }

  default <R> R match(
      Function<? super T, ? extends R> onOk, Function<RpcStatus, ? extends R> onFailed) {
    if (this instanceof Ok<T> ok) {
      return onOk.apply(ok.value());
    }
    return onFailed.apply(((Failed<T>) this).status());
  }

  default boolean isOk() {
    return this instanceof Ok<T>;
  }

  default Optional<T> toOptional() {
    return this instanceof Ok<T> ok ? Optional.of(ok.value()) : Optional.empty();
  }

  default RpcStatus status() {
    return this instanceof Failed<T> failed ? failed.status() : RpcStatus.OK;
  }
}
