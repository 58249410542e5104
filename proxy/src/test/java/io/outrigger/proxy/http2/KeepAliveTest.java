package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A silence is noticed while somebody wants to know. */
final class KeepAliveTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final KeepAlive keepAlive =
      new KeepAlive(
          new Nobody(),
          new StreamTable(false),
          channel.eventLoop(),
          Duration.ofSeconds(10),
          Duration.ofSeconds(2));

  @BeforeEach
  void stopTheClock() {
    channel.freezeTime();
  }

  private static final class Nobody implements KeepAlive.Prober {
    @Override
    public void sendKeepAlivePing() {}

    @Override
    public void onKeepAliveTimeout() {}
  }

  @Test
  void itLooksAgainAndAgainUntilItIsStopped() {
    keepAlive.start();
    for (int i = 0; i < 3; i++) {
      channel.advanceTimeBy(10, TimeUnit.SECONDS);
      assertThat(channel.runScheduledPendingTasks()).isEqualTo(TimeUnit.SECONDS.toNanos(10));
    }

    keepAlive.stop();
    assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
  }

  @Test
  void toStopWhatHasNotBegunOrHasEndedIsNoHarm() {
    keepAlive.stop();
    keepAlive.start();
    keepAlive.stop();
    keepAlive.stop();

    assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
  }
}
