package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.outrigger.http2.EventLoops.TransportKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The data that a turn of the loop exchanges with the transport. */
final class FairLoopTest {
  /**
   * A transport that reads its context as real transports do before they block, but does not block.
   */
  private static final class Asking implements IoHandler {
    final List<String> answers = new ArrayList<>();
    private boolean asks;

    @Override
    public int run(IoHandlerContext turn) {
      if (!asks) {
        return 0;
      }
      asks = false;
      long seconds = TimeUnit.NANOSECONDS.toSeconds(turn.delayNanos(System.nanoTime()));
      answers.add(turn.canBlock() + " " + seconds + "s");
      return 7;
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void wakeup() {}

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
      return false;
    }
  }

  @Test
  void anIdleLoopLetsItsTransportWaitAndHearsWhatItDid() throws Exception {
    EventLoops others = EventLoops.start(TransportKind.NIO, 1);
    var transport = new Asking();
    var loop = new FairLoop(others.group(), task -> new Thread(task).start(), unused -> transport);
    try {
      int served = loop.submit(() -> ask(loop, transport)).get(60, TimeUnit.SECONDS);
      assertThat(served).isEqualTo(7);

      var inAnHour = loop.schedule(() -> {}, 3_600, TimeUnit.SECONDS);
      var unused = loop.submit(() -> ask(loop, transport)).get(60, TimeUnit.SECONDS);
      assertThat(inAnHour.cancel(false)).isTrue();

      unused = loop.submit(() -> askWithTask(loop, transport)).get(60, TimeUnit.SECONDS);
      assertThat(transport.answers.get(0)).as("Netty's own time").isEqualTo("true 1s");
      assertThat(transport.answers.get(1)).startsWith("true 35"); // the test takes some of the time
      assertThat(transport.answers.get(2)).startsWith("false");
    } finally {
      loop.shutdownGracefully(0, 60, TimeUnit.SECONDS).awaitUninterruptibly(60_000);
      others.stop(Duration.ofSeconds(1));
    }
  }

  private static int ask(FairLoop loop, Asking transport) {
    transport.asks = true;
    return loop.runIo();
  }

  private static int askWithTask(FairLoop loop, Asking transport) {
    loop.execute(() -> {});
    return ask(loop, transport);
  }
}
