package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.DefaultEventLoop;
import io.outrigger.proxy.http2.EventLoops.TransportKind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class EventLoopsTest {
  @Test
  void loopsAreNumberedAndNamedByTheirNumber() throws Exception {
    EventLoops loops = EventLoops.start(TransportKind.NIO, 3);
    try {
      for (int i = 0; i < 3; i++) {
        assertThat(loops.index(loops.loop(i))).isEqualTo(i);
        assertThat(loops.loop(i).submit(() -> Thread.currentThread().getName()).get())
            .isEqualTo("loop-" + i);
      }
      var foreign = new DefaultEventLoop();
      assertThatThrownBy(() -> loops.index(foreign)).isInstanceOf(IllegalArgumentException.class);
      var unused = foreign.shutdownGracefully();
    } finally {
      loops.stop(Duration.ofSeconds(1));
    }
  }

  @Test
  void autoPicksATransportThatWorks() {
    EventLoops loops = EventLoops.start(TransportKind.AUTO, 1);

    assertThat(loops.kind()).isNotEqualTo(TransportKind.AUTO);
    assertThat(loops.count()).isEqualTo(1);
    loops.stop(Duration.ofSeconds(1));
  }
}
