package io.outrigger.http2;

import io.netty.channel.EventLoop;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Exhaustion;
import io.outrigger.base.LoopConfined;

/**
 * The memory of the process. An implementation decides which connections are paused or closed when
 * memory is short. The default methods describe a process without memory limits.
 */
@AnyThread
public interface ProcessMemory {
  ProcessMemory UNLIMITED = new ProcessMemory() {};

  /** Whether memory is short. If so, callers release memory that is kept only for speed. */
  default boolean isShort() {
    return false;
  }

  /** Whether so much memory is held that no new connection may be accepted. */
  default boolean isUsedUp() {
    return false;
  }

  /** Adds a connection to the memory accounts of its event loop, and returns these accounts. */
  default Accounts open(MemoryHolder connection, EventLoop loop) {
    return new Accounts() {};
  }

  /** Reports a failure that the caller handles; returns whether the cause is a lack of memory. */
  default boolean onFailure(Throwable failure) {
    return Exhaustion.isOutOfMemory(failure);
  }

  @LoopConfined
  interface Accounts {
    /** Called before each read. Returns false while the connection must not be read. */
    default boolean mayRead(MemoryHolder connection) {
      return true;
    }

    /** Reports that {@code bytes} were read and processed; the report may close the connection. */
    default void onRead(MemoryHolder connection, int bytes) {}

    default void close(MemoryHolder connection) {}
  }
}
