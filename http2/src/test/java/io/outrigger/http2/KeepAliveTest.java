package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A8: a peer that does not respond is detected while a stream is open, or when a stream is opened.
 */
final class KeepAliveTest {
  private final LooseStreams streams = new LooseStreams();
  private final List<String> done = new ArrayList<>();
  private final KeepAlive keepAlive;
  private int second;

  KeepAliveTest() {
    keepAlive =
        new KeepAlive(streams.writer, streams.streams.table(), 0, ofSeconds(10), ofSeconds(2));
  }

  @AfterEach
  void close() {
    streams.close();
  }

  private static Duration ofSeconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      second++;
      long before = keepAlive.sent();
      if (keepAlive.isLost(TimeUnit.SECONDS.toNanos(second))) {
        done.add("lost at " + second);
      }
      if (keepAlive.sent() > before) {
        done.add("PING at " + second);
      }
    }
  }

  private SocketStream open() {
    return streams.open(2 * second + 1);
  }

  private void call(int seconds) {
    SocketStream stream = open();
    pass(seconds);
    stream.reset(Http2Error.CANCEL);
  }

  /**
   * One call every three seconds, each canceled after one second: grpc-go detects the dead peer
   * after 12 to 14 s.
   */
  @Test
  void callsThatEndDoNotHideASilence() {
    for (int i = 0; i < 4; i++) {
      call(1);
      pass(2);
    }

    assertThat(done).containsExactly("PING at 10", "lost at 12");
  }

  @Test
  void theProbesTimeRunsOnWhenItsStreamHasEnded() {
    call(10);
    assertThat(done).containsExactly("PING at 10");
    pass(2);

    assertThat(done).containsExactly("PING at 10", "lost at 12");
  }

  @Test
  void aStreamThatIsOpenedAfterALongSilenceBringsAProbe() {
    pass(60);
    assertThat(done).isEmpty();
    open();
    pass(1);
    assertThat(done).containsExactly("PING at 61");
    keepAlive.onRead();
    pass(10);
    assertThat(done).containsExactly("PING at 61");
    pass(1);

    assertThat(done).containsExactly("PING at 61", "PING at 72");
  }

  @Test
  void timeCountsFromTheLastByte() {
    open();
    pass(7);
    keepAlive.onRead(); // counts from the next tick
    pass(10);
    assertThat(done).isEmpty();
    pass(1);

    assertThat(done).containsExactly("PING at 18");
  }
}
