package io.outrigger.http2;

import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import io.outrigger.base.LoopConfined;
import java.util.concurrent.Executor;

/**
 * An event loop that polls its sockets every few milliseconds, however many tasks are queued. An
 * update may add thousands of endpoints, each with a task that connects; requests must not wait for
 * these tasks. Netty's own loops may run tasks for a second before they read sockets again.
 *
 * <p>{@code FairLoop} reads the clock once or twice per turn, and Netty's loop eight times. Under
 * low load, reads of the clock are a large part of the cost of a loop's turn.
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

  /** Tells the transport whether it may block, and for how long. */
  @LoopConfined
  private final class Turn implements IoHandlerContext {
    /** The loop may block although timers are scheduled: {@link #delayNanos} limits the time. */
    @Override
    public boolean canBlock() {
      return !hasTasks();
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
      return FairLoop.this.delayNanos(currentTimeNanos);
    }

    /**
     * The deadline of the next scheduled task. Netty's epoll loop sets its timer again only if this
     * deadline differs from the previous one.
     */
    @Override
    public long deadlineNanos() {
      return nextScheduledTaskDeadlineNanos();
    }
  }
}
