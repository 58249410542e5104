package io.outrigger.base;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether a failure is a bug or lack of memory, which can strike anywhere. */
public final class Exhaustion {
  /** Chains of causes may be circular. */
  private static final int MAX_DEPTH = 20;

  private Exhaustion() {}

  /** Whether {@code failure} or one of its causes is an {@link OutOfMemoryError}. */
  public static boolean isOutOfMemory(Throwable failure) {
    return outOfMemory(failure).isPresent();
  }

  /** The first {@link OutOfMemoryError} of {@code failure} and its causes. */
  public static Optional<OutOfMemoryError> outOfMemory(Throwable failure) {
    @Nullable Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_DEPTH; depth++) {
      if (cause instanceof OutOfMemoryError error) {
        return Optional.of(error);
      }
      cause = cause.getCause();
    }
    return Optional.empty();
  }
}
