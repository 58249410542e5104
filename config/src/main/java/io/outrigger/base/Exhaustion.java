package io.outrigger.base;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Distinguishes lack of memory, which can cause a failure anywhere, from bugs. */
public final class Exhaustion {
  /** The search ends at this depth, because a chain of causes may be circular. */
  private static final int MAX_DEPTH = 20;

  private Exhaustion() {}

  public static boolean isOutOfMemory(Throwable failure) {
    return outOfMemory(failure).isPresent();
  }

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

  /**
   * Whether the JVM itself has thrown {@code error}. Netty throws a subclass when its limit for
   * buffers is reached.
   */
  public static boolean isOfJvm(OutOfMemoryError error) {
    return error.getClass() == OutOfMemoryError.class;
  }
}
