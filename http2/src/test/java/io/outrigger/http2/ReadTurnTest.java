package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ReadTurnTest {
  private static final int FULL = 65_536;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ChannelConfig config = new DefaultChannelConfig(channel);
  private final FlushQueue loop = FlushQueue.of(channel.eventLoop());
  private final FlushQueue.Mark mark = loop.mark(() -> {});
  private ExtendedHandle turn;
  private long started;

  @BeforeEach
  void bound() {
    config.setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(64, FULL, FULL));
    ReadTurn.bound(config, new App(), loop);
    turn = (ExtendedHandle) config.getRecvByteBufAllocator().newHandle();
    turn.reset(config);
  }

  private final class App implements ReadTurn.Reader {
    @Override
    public long startedStreams() {
      return started;
    }

    @Override
    public void onNoBuffer() {}
  }

  /** Reads one full buffer in which {@code streams} begin; returns whether to continue reading. */
  private boolean read(int streams) {
    readBytes();
    started += streams;
    return turn.continueReading();
  }

  private int readBytes() {
    int size = room();
    turn.attemptedBytesRead(size);
    turn.lastBytesRead(size);
    turn.incMessagesRead(1);
    return size;
  }

  private int room() {
    ByteBuf buffer = turn.allocate(UnpooledByteBufAllocator.DEFAULT);
    int size = buffer.writableBytes();
    buffer.release();
    return size;
  }

  @Test
  void whoAsksForAHandleGetsTheOneOfTheChannel() {
    assertThat(config.getRecvByteBufAllocator().newHandle()).isSameAs(turn);
  }

  @Test
  void aBodyIsReadInFourFullBuffers() {
    assertThat(read(1)).isTrue();
    assertThat(read(0)).isTrue();
    assertThat(read(0)).isTrue();
    assertThat(read(0)).isFalse();
    turn.reset(config);
    assertThat(room()).isEqualTo(FULL);
  }

  @Test
  void aFloodOfSmallRequestsIsReadInParts() {
    assertThat(read(1_024)).isFalse();
    turn.reset(config);
    assertThat(room()).isEqualTo(FULL / 1_024 * 128);
  }

  @Test
  void othersFloodLeavesEachAFewRequests() {
    assertThat(read(1_024)).isFalse();
    for (int i = 0; i < 256; i++) {
      mark.onStream();
    }
    turn.reset(config);
    assertThat(room()).isEqualTo(FULL / 1_024 * 8);
    assertThat(read(8)).isFalse();
  }

  @Test
  void theNextTurnOfTheLoopIsNotBusy() {
    for (int i = 0; i < 256; i++) {
      mark.onStream();
    }
    channel.runPendingTasks();
    turn.reset(config);
    assertThat(read(8)).isTrue();
  }

  @Test
  void whoHasStoppedFloodingReadsWideAgain() {
    assertThat(read(1_024)).isFalse();
    turn.reset(config);
    read(0);
    turn.reset(config);
    assertThat(room()).isEqualTo(FULL);
  }

  @Test
  void aTurnInWhichNothingCameForgetsNothing() {
    assertThat(read(1_024)).isFalse();
    turn.reset(config);
    turn.reset(config);
    assertThat(room()).isEqualTo(FULL / 1_024 * 128);
  }

  /** Checks like epoll, which knows whether more bytes are available. */
  @Test
  void aTurnEndsWithItsStreamsOrItsBytes() {
    readBytes();
    assertThat(turn.continueReading(() -> true)).isTrue();
    assertThat(turn.continueReading(() -> false)).isFalse();

    started = 127;
    assertThat(turn.continueReading(() -> true)).isTrue();
    assertThat(turn.continueReading()).isTrue();

    started = 128;
    assertThat(turn.continueReading(() -> true)).isFalse();
    assertThat(turn.continueReading()).isFalse();
  }
}
