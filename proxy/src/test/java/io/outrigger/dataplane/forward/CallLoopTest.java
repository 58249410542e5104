package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.outrigger.base.RandomSource;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.EventLoops.TransportKind;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CallLoopTest {
  @Test
  void callsHaveTheLoopsOfTheProcessInTheirOrder() throws Exception {
    EventLoops loops = EventLoops.start(TransportKind.NIO, 3);
    try {
      List<CallLoop> all = CallLoop.of(loops, RandomSource.SYSTEM);

      assertThat(all).extracting(CallLoop::index).containsExactly(0, 1, 2);
      for (CallLoop loop : all) {
        var ran = new CompletableFuture<String>();
        loop.execute(() -> ran.complete(Thread.currentThread().getName()));
        assertThat(ran.get(60, TimeUnit.SECONDS)).isEqualTo("loop-" + loop.index());
      }
    } finally {
      loops.stop(Duration.ofSeconds(1));
    }
  }

  @Test
  void callsWhoseDeadlinesFallLeaveOneTaskInTheLoop() throws Exception {
    EventLoops loops = EventLoops.start(TransportKind.NIO, 1);
    try {
      CallLoop loop = CallLoop.of(loops, RandomSource.SYSTEM).get(0);
      var left = new CompletableFuture<Integer>();
      loop.execute(
          () -> {
            int before = scheduled(loops.loop(0));
            for (int i = 0; i < 10_000; i++) {
              var call = new Idle();
              loop.deadlines.arm(
                  call, loop.nanoTime(), Duration.ofHours(1).minusSeconds(i / 10).toNanos());
              loop.deadlines.disarm(call);
            }
            left.complete(scheduled(loops.loop(0)) - before);
          });

      assertThat(left.get(60, TimeUnit.SECONDS)).isLessThanOrEqualTo(1);
    } finally {
      loops.stop(Duration.ofSeconds(1));
    }
  }

  private static final class Idle extends DeadlineTimers.Entry {
    @Override
    void onDeadline() {}
  }

  /** The number of scheduled tasks, which {@code pendingTasks()} does not include. */
  private static int scheduled(EventLoop loop) {
    try {
      Field queue = AbstractScheduledEventExecutor.class.getDeclaredField("scheduledTaskQueue");
      queue.setAccessible(true);
      Object tasks = queue.get(loop);
      return tasks == null ? 0 : ((Collection<?>) tasks).size();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
