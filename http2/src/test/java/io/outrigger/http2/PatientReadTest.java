package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.http2.testing.ScarceBuffers;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads while few or no buffers are available. */
final class PatientReadTest {
  private static final int FULL = 65_536;

  private final ChannelConfig config = new DefaultChannelConfig(new EmbeddedChannel());
  private final ScarceBuffers buffers = new ScarceBuffers();
  private PatientRead read;
  private int waits;

  @BeforeEach
  void bound() {
    config.setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(64, FULL, FULL));
    read = ReadTurn.bound(config);
    read.reset(config);
  }

  private int room() {
    ByteBuf buffer = read.allocate(buffers);
    int size = buffer.writableBytes();
    buffer.release();
    return size;
  }

  private void waitOnce() {
    assertThatThrownBy(this::room).isInstanceOf(PatientRead.NoBufferNow.class);
  }

  @Test
  void whoFindsABufferGetsTheOneThatIsDue() {
    read.waiter(() -> waits++);
    assertThat(room()).isEqualTo(FULL);
    assertThat(waits).isZero();
  }

  @Test
  @Conformance("SC-38")
  void whereThereIsNoneForAFullReadASmallOneIsMade() {
    read.waiter(() -> waits++);
    buffers.most(PatientRead.SMALL_BYTES);
    assertThat(room()).isEqualTo(PatientRead.SMALL_BYTES);
    assertThat(waits).isZero();
  }

  @Test
  @Conformance("SC-38")
  void whereThereIsNoneAtAllTheReadWaits() {
    read.waiter(() -> waits++);
    buffers.most(0);
    waitOnce();
    assertThat(waits).isEqualTo(1);
    buffers.most(FULL);
    assertThat(room()).isEqualTo(FULL);
  }

  @Test
  void whoHasWaitedForLongIsAtItsEnd() {
    read.waiter(() -> waits++);
    buffers.most(0);
    for (int i = 0; i < PatientRead.MAX_WAITS; i++) {
      waitOnce();
    }
    assertThatThrownBy(this::room).isInstanceOf(ScarceBuffers.None.class);
    assertThat(waits).isEqualTo(PatientRead.MAX_WAITS);
  }

  @Test
  void whoHasFoundOneMayWaitAgain() {
    read.waiter(() -> waits++);
    for (int i = 0; i < 2 * PatientRead.MAX_WAITS; i++) {
      buffers.most(0);
      waitOnce();
      int most = i % 2 == 0 ? FULL : PatientRead.SMALL_BYTES;
      buffers.most(most);
      assertThat(room()).isEqualTo(most);
    }
  }

  @Test
  void whereNobodyWaitsYetTheErrorIsWhatItWas() {
    buffers.most(0);
    assertThatThrownBy(this::room).isInstanceOf(ScarceBuffers.None.class);
  }

  /** Errors of the JVM itself are counted, and many of them end the process. */
  @Test
  void errorsOfTheJvmAreNotWaitedFor() {
    read.waiter(() -> waits++);
    buffers.most(0);
    buffers.jvmIsFull();
    assertThatThrownBy(this::room).isExactlyInstanceOf(OutOfMemoryError.class);
    assertThat(waits).isZero();
  }

  @Test
  void whoIsReadBeforeItsConnectionKeepsItsHandle() {
    assertThat(ReadTurn.bound(config)).isSameAs(read);
    assertThat(config.getRecvByteBufAllocator().newHandle()).isSameAs(read);
  }
}
