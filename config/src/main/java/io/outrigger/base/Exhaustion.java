package io.outrigger.base;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Distinguishes failures for lack of memory, which can occur anywhere, from bugs. */
public final class Exhaustion {
  /** Limits the number of causes that are searched, because a chain of causes may be circular. */
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
   * Whether the JVM itself has thrown the error. Netty throws a subclass of {@link
   * OutOfMemoryError} when buffers are exhausted.
   */
  public static boolean isOfJvm(OutOfMemoryError error) {
    return error.getClass() == OutOfMemoryError.class;
  }
}
