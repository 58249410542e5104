package io.outrigger.proxy.downstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class NewcomersTest {
  private final EmbeddedChannel loop = new EmbeddedChannel();
  private final Newcomers newcomers = Newcomers.of(loop.eventLoop());

  @BeforeEach
  void stopTheClock() {
    loop.freezeTime();
  }

  private List<Channel> come(int count) {
    List<Channel> all = Stream.<Channel>generate(EmbeddedChannel::new).limit(count).toList();
    all.forEach(newcomers::add);
    return all;
  }

  private static long read(List<Channel> channels) {
    return channels.stream().filter(channel -> channel.config().isAutoRead()).count();
  }

  private void aMillisecondLater() {
    loop.advanceTimeBy(1, TimeUnit.MILLISECONDS);
    loop.runScheduledPendingTasks();
  }

  @Test
  void whoComesAloneIsReadAtOnce() {
    assertThat(read(come(1))).isEqualTo(1);
  }

  @Test
  void aCrowdIsTakenUpAFewAtATime() {
    List<Channel> crowd = come(20);
    assertThat(read(crowd)).isEqualTo(8);
    aMillisecondLater();
    assertThat(read(crowd)).isEqualTo(16);
    aMillisecondLater();
    assertThat(read(crowd)).isEqualTo(20);
  }

  @Test
  void whoComesLaterWaitsForThoseBefore() {
    List<Channel> crowd = come(20);
    loop.advanceTimeBy(1, TimeUnit.MILLISECONDS); // before the task has run
    List<Channel> late = come(1);
    assertThat(read(late)).isZero();
    loop.runScheduledPendingTasks();
    aMillisecondLater();
    assertThat(read(crowd)).isEqualTo(20);
    assertThat(read(late)).isEqualTo(1);
  }

  @Test
  void afterTheCrowdOneIsReadAtOnceAgain() {
    come(9);
    aMillisecondLater();
    aMillisecondLater();
    assertThat(read(come(1))).isEqualTo(1);
  }

  @Test
  void whoHasGoneTakesNoTurn() {
    List<Channel> crowd = come(20);
    crowd.subList(8, 12).forEach(Channel::close);
    aMillisecondLater();
    assertThat(read(crowd.subList(12, 20))).isEqualTo(8);
  }
}
