package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class AdmissionTest {
  private final EmbeddedChannel loop = new EmbeddedChannel();
  private final List<Channel> channels = new ArrayList<>();
  private final Admission admission = Admission.of(loop.eventLoop());

  @BeforeEach
  void stopTheClock() {
    loop.freezeTime();
  }

  private List<ReadGate> come(int count) {
    List<ReadGate> all =
        Stream.generate(() -> new ReadGate(channel(), new StreamTable(true))).limit(count).toList();
    all.forEach(admission::ask);
    return all;
  }

  private Channel channel() {
    var made = new EmbeddedChannel();
    channels.add(made);
    return made;
  }

  private long read(int from, int to) {
    return channels.subList(from, to).stream()
        .filter(channel -> channel.config().isAutoRead())
        .count();
  }

  private long read() {
    return read(0, channels.size());
  }

  private void nextTurn() {
    loop.advanceTimeBy(1, TimeUnit.NANOSECONDS);
    loop.runScheduledPendingTasks();
  }

  private void aMillisecondLater() {
    loop.advanceTimeBy(1, TimeUnit.MILLISECONDS);
  }

  @Test
  void whoComesAloneIsReadAtOnce() {
    come(1);
    assertThat(read()).isEqualTo(1);
  }

  @Test
  void aLoopHasOne() {
    assertThat(Admission.of(loop.eventLoop())).isSameAs(admission);
    assertThat(Admission.of(channel().eventLoop())).isNotSameAs(admission);
  }

  @Test
  void whoComesAMillisecondAfterSomeIsNoCrowdWithThem() {
    aMillisecondLater();
    come(8);
    loop.advanceTimeBy(999_999, TimeUnit.NANOSECONDS);
    come(1);
    assertThat(read(8, 9)).isZero();
    nextTurn();
    come(7);
    aMillisecondLater();
    come(1);
    assertThat(read()).isEqualTo(17);
  }

  @Test
  void whoFailsInItsTurnKeepsNobodyWaiting() {
    come(8);
    var fails = new AtomicBoolean();
    var failing =
        new EmbeddedChannel() {
          @Override
          public boolean isOpen() {
            if (fails.get()) {
              throw new OutOfMemoryError("in a test");
            }
            return super.isOpen();
          }
        };
    admission.ask(new ReadGate(failing, new StreamTable(true)));
    fails.set(true);
    come(3);
    assertThat(read()).isEqualTo(8);

    nextTurn();
    nextTurn();

    assertThat(read()).isEqualTo(11);
  }

  @Test
  void aCrowdIsTakenUpAFewATurn() {
    come(20);
    assertThat(read()).isEqualTo(8);
    nextTurn();
    assertThat(read()).isEqualTo(16);
    nextTurn();
    assertThat(read()).isEqualTo(20);
  }

  @Test
  void whoComesLaterWaitsForThoseBefore() {
    come(20);
    aMillisecondLater();
    come(1);
    assertThat(read(20, 21)).isZero();
    nextTurn();
    nextTurn();
    assertThat(read()).isEqualTo(21);
  }

  @Test
  void afterTheCrowdOneIsReadAtOnceAgain() {
    come(9);
    nextTurn();
    aMillisecondLater();
    come(1);
    assertThat(read()).isEqualTo(10);
  }

  @Test
  void whoHasGoneTakesNoTurn() {
    come(20);
    channels.subList(8, 12).forEach(Channel::close);
    nextTurn();
    assertThat(read(12, 20)).isEqualTo(8);
  }

  @Test
  void whomTheLedgerHasPausedIsNotReadInItsTurn() {
    List<ReadGate> crowd = come(9);
    crowd.get(8).pause(true);
    nextTurn();
    assertThat(read(8, 9)).isZero();
    crowd.get(8).pause(false);
    assertThat(read(8, 9)).isEqualTo(1);
  }

  @Test
  void whomTheLedgerLetsGoOnStillWaits() {
    List<ReadGate> crowd = come(9);
    crowd.get(8).pause(false);
    assertThat(read(8, 9)).isZero();
  }
}
