package io.outrigger.proxy.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource;
import io.outrigger.proxy.http2.EventLoops;
import io.outrigger.proxy.http2.EventLoops.TransportKind;
import java.time.Duration;
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
}
