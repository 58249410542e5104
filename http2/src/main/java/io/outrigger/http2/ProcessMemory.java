package io.outrigger.http2;

import io.netty.channel.EventLoop;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Exhaustion;
import io.outrigger.base.LoopConfined;

/**
 * The memory of the process, of which each connection holds a part. The implementation measures the
 * memory, and decides which connections are paused or closed when memory is short.
 */
@AnyThread
public interface ProcessMemory {
  ProcessMemory UNLIMITED = new Unlimited();

  /** Whether so much memory is held that no memory should be kept merely for speed. */
  boolean isShort();

  /** Whether so much memory is held that no new connection may be accepted. */
  boolean isUsedUp();

  /**
   * Opens the account of a connection. Must be called on {@code loop}, the connection's own.
   *
   * @return the accounts of that loop's connections
   */
  Accounts open(MemoryHolder connection, EventLoop loop);

  /**
   * Reports a failure on an event loop. The caller closes the connection or stream that has met it.
   *
   * @return whether the failure is lack of memory, and so not a bug
   */
  boolean onFailure(Throwable failure);

  @LoopConfined
  interface Accounts {
    /** Called before each read. Returns false when the connection must not be read from now. */
    boolean mayRead(MemoryHolder connection);

    /**
     * Called when {@code bytes} were read and processed. The connection may be closed when this
     * method returns.
     */
    void onRead(MemoryHolder connection, int bytes);

    void close(MemoryHolder connection);
  }

  /** The implementation of {@link #UNLIMITED}; it keeps no accounts. */
  @AnyThread
  final class Unlimited implements ProcessMemory, Accounts {
    private Unlimited() {}

    @Override
    public boolean isShort() {
      return false;
    }

    @Override
    public boolean isUsedUp() {
      return false;
    }

    @Override
    public Accounts open(MemoryHolder connection, EventLoop loop) {
      return this;
    }

    @Override
    public boolean onFailure(Throwable failure) {
      return Exhaustion.isOutOfMemory(failure);
    }

    @Override
    public boolean mayRead(MemoryHolder connection) {
      return true;
    }

    @Override
    public void onRead(MemoryHolder connection, int bytes) {}

    @Override
    public void close(MemoryHolder connection) {}
  }
}
