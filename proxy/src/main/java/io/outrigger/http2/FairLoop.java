package io.outrigger.http2;

import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import io.outrigger.base.LoopConfined;
import java.util.concurrent.Executor;

/**
 * An event loop that looks at its sockets every few milliseconds, however many tasks there are: an
 * update may bring thousands of endpoints, each with a task that connects to it, and requests go on
 * meanwhile. Netty's own loops may run tasks for a second before they read again.
 *
 * <p>A turn of it reads the clock once or twice, and not eight times as Netty's own: where one
 * request comes at a time, that is a good part of a turn.
 */
@LoopConfined
final class FairLoop extends SingleThreadIoEventLoop {
  private static final int TASKS_MILLIS = 5;

  private final IoHandlerContext turn = new Turn();

  FairLoop(IoEventLoopGroup group, Executor executor, IoHandlerFactory handlers) {
    super(
        group,
        executor,
        handlers,
        Integer.MAX_VALUE,
        RejectedExecutionHandlers.reject(),
        TASKS_MILLIS);
  }

  @Override
  protected int runIo() {
    return ioHandler().run(turn);
  }

  /** What the transport asks before it waits. It is not asked how long its work takes. */
  @LoopConfined
  private final class Turn implements IoHandlerContext {
    /** For a scheduled task that is due it waits as long as that has time: not at all. */
    @Override
    public boolean canBlock() {
      return !hasTasks();
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
      return FairLoop.this.delayNanos(currentTimeNanos);
    }

    /** As long as it stays the same, epoll need not set its timer anew. */
    @Override
    public long deadlineNanos() {
      return nextScheduledTaskDeadlineNanos();
    }
  }
}
