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

  /** Opens the account of a connection. Must be called on {@code loop}, the connection's own. */
  Account open(MemoryHolder connection, EventLoop loop);

  /**
   * Reports a failure on an event loop. The caller closes the connection or stream that has met it.
   *
   * @return whether the failure is lack of memory, and so not a bug
   */
  boolean onFailure(Throwable failure);

  @LoopConfined
  interface Account {
    /** Called before each read. Returns false when the connection must not be read from now. */
    boolean mayRead();

    /**
     * Called when {@code bytes} were read and processed. The connection may be closed when this
     * method returns.
     */
    void onRead(int bytes);

    void close();
  }

  /** The implementation of {@link #UNLIMITED}; all connections share its account. */
  @AnyThread
  final class Unlimited implements ProcessMemory, Account {
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
    public Account open(MemoryHolder connection, EventLoop loop) {
      return this;
    }

    @Override
    public boolean onFailure(Throwable failure) {
      return Exhaustion.isOutOfMemory(failure);
    }

    @Override
    public boolean mayRead() {
      return true;
    }

    @Override
    public void onRead(int bytes) {}

    @Override
    public void close() {}
  }
}
