package io.outrigger.testing.leak;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeakExtensionTest {
  private static final int MAX_LOOKS = 20;

  @Test
  void theBuildRunsNettyWithThisDetectorAtItsStrictest() {
    assertThat(System.getProperty("io.netty.customResourceLeakDetector"))
        .isEqualTo(RecordingLeakDetector.class.getName());
    assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
  }

  @Test
  void aBufferThatNobodyReleasedIsFoundWithItsHistory() throws InterruptedException {
    leak();

    List<String> leaks = takeFound();

    assertThat(leaks).hasSize(1);
    assertThat(leaks.get(0)).contains("ByteBuf", "LeakExtensionTest.leak");
  }

  @Test
  void aReleasedBufferIsNoLeak() throws InterruptedException {
    Unpooled.directBuffer(8).release();

    assertThat(Leaks.INSTANCE.take()).isEmpty();
  }

  @Test
  void whatWasTakenIsNotReportedAgain() throws InterruptedException {
    leakElsewhere();
    assertThat(takeFound()).hasSize(1);

    assertThat(Leaks.INSTANCE.take()).isEmpty();
  }

  @Test
  void onlyWhatGrpcItselfLosesIsPassedOver() {
    String framed = "\tio.grpc.internal.MessageFramer.writeRaw(MessageFramer.java:298)\n";
    String unary = "\tio.grpc.stub.ClientCalls.asyncUnaryRequestCall(ClientCalls.java:413)\n";

    assertThat(RecordingLeakDetector.isLostByGrpc(framed + unary)).isTrue();
    assertThat(RecordingLeakDetector.isLostByGrpc(framed)).isFalse();
    assertThat(RecordingLeakDetector.isLostByGrpc(unary)).isFalse();
  }

  /**
   * Takes until something is found. A thread that an earlier test class left behind may allocate
   * just now; Netty then reports on that thread, and its report may come a moment after our look.
   */
  private static List<String> takeFound() throws InterruptedException {
    List<String> leaks = List.of();
    for (int look = 0; leaks.isEmpty() && look < MAX_LOOKS; look++) {
      leaks = Leaks.INSTANCE.take();
    }
    return leaks;
  }

  @SuppressWarnings("CheckReturnValue")
  private static void leak() {
    ByteBuf forgotten = Unpooled.directBuffer(8);
    forgotten.writeInt(1);
  }

  /** A place of its own: Netty reports each place once in a process. */
  @SuppressWarnings("CheckReturnValue")
  private static void leakElsewhere() {
    ByteBuf forgotten = Unpooled.directBuffer(8);
    forgotten.writeLong(2);
  }
}
