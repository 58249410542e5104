package io.outrigger.http2;

import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.HEADERS;
import static io.outrigger.http2.testing.Frames.PADDED;
import static io.outrigger.http2.testing.Frames.PRIORITY;
import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.frame;
import static io.outrigger.http2.testing.Frames.join;
import static io.outrigger.http2.testing.Frames.number;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.testing.Frames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames at the limits of their size and content. */
final class FrameReaderTest {
  private static final int PRIORITY_FLAG = FrameType.FLAG_PRIORITY;

  private final CountedBuffers buffers = new CountedBuffers();
  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(false);
  private final Heard heard = new Heard();
  private final FrameReader reader = new FrameReader(heard, ConnectionSettings.DEFAULT);

  @BeforeEach
  void begin() throws ConnectionFault {
    read(settings());
    heard.events.clear();
  }

  @AfterEach
  void everyBufferIsGivenBack() {
    reader.release();
    buffers.checkAllReleased();
    assertThat(alloc.metric().usedHeapMemory()).isZero();
  }

  private void read(byte[]... parts) throws ConnectionFault {
    for (byte[] part : parts) {
      ByteBuf in = buffers.copy(part);
      heard.in = in;
      try {
        reader.read(in, alloc);
      } finally {
        in.release();
      }
    }
  }

  private void refuses(Http2Error error, byte[]... parts) {
    assertThatExceptionOfType(ConnectionFault.class)
        .isThrownBy(() -> read(parts))
        .satisfies(fault -> assertThat(fault.error()).isEqualTo(error));
  }

  /** Records its events, and whether it gets the read buffer itself. */
  @LoopConfined
  private static final class Heard implements FrameListener {
    final List<String> events = new ArrayList<>();
    private ByteBuf in;

    private static ByteBuf bottom(ByteBuf buffer) {
      ByteBuf bottom = buffer;
      for (ByteBuf under = buffer.unwrap(); under != null; under = under.unwrap()) {
        bottom = under;
      }
      return bottom;
    }

    @SuppressWarnings("ReferenceEquality") // identity is intended
    private void add(String event, ByteBuf payload) {
      boolean isSlice = bottom(payload) == bottom(in);
      String from = payload == in ? "" : isSlice ? " as a slice" : " as a copy";
      events.add(event + " (" + payload.readableBytes() + ")" + from);
    }

    @Override
    public void onDataStart(int streamId, int flowBytes, int padding, boolean endStream) {
      events.add("data " + streamId + " (" + flowBytes + ")");
    }

    @Override
    public void onDataPart(ByteBuf part, boolean last) {
      add(last ? "last" : "part", part);
      part.release();
    }

    @Override
    public void onHeaderBlock(int streamId, ByteBuf block, boolean endStream) {
      add("block " + streamId, block);
    }

    @Override
    public void onReset(int streamId, long code) {
      events.add("reset " + streamId);
    }

    @Override
    public void onSettings(ByteBuf settings) {
      add("settings", settings);
    }

    @Override
    public void onSettingsAck() {
      events.add("settings ack");
    }

    @Override
    public void onPing(long opaque, boolean ack) {
      events.add("ping " + opaque);
    }

    @Override
    public void onGoAway(int lastStreamId, long code, ByteBuf debug) {
      add("goaway", debug);
    }

    @Override
    public void onWindowUpdate(int streamId, int increment) {
      events.add("window " + streamId + " " + increment);
    }

    @Override
    public void onIgnored() {
      events.add("ignored");
    }

    @Override
    public void onStreamFault(int streamId, Http2Error error, String reason) {
      events.add("fault " + streamId + " " + error);
    }
  }

  /** Most messages are small, and no slice object is allocated for them. */
  @Test
  void smallDataIsHandedOutAsItStandsAndLargeDataAsASlice() throws Exception {
    read(join(data(1, 0, new byte[2_048]), data(1, 0, new byte[2_049])));

    assertThat(heard.events)
        .containsExactly("data 1 (2048)", "last (2048)", "data 1 (2049)", "last (2049) as a slice");
  }

  @Test
  void aFrameThatComesWholeIsNotCopied() throws Exception {
    byte[] all = settings(Frames.MAX_CONCURRENT_STREAMS, 1);
    read(all);
    read(Arrays.copyOf(all, 12), Arrays.copyOfRange(all, 12, 15));

    assertThat(heard.events).containsExactly("settings (6)", "settings (6) as a copy");
  }

  @Test
  void whateverIsWholeIsCountedButNotData() throws Exception {
    long before = reader.wholeFrames();

    read(ping(1), ping(2), data(1, 0, new byte[5]));
    assertThat(reader.wholeFrames() - before).isEqualTo(2);

    read(frame(HEADERS, 0, 1, new byte[3]), frame(Frames.CONTINUATION, 0, 1));
    assertThat(reader.wholeFrames() - before).as("an open header block").isEqualTo(2);
    assertThat(reader.isBegun()).isTrue();

    read(frame(Frames.CONTINUATION, END_HEADERS, 1));
    assertThat(reader.wholeFrames() - before).isEqualTo(3);
    assertThat(reader.isBegun()).isFalse();
  }

  /** The frame header alone shows the error, so the reader does not wait for more bytes. */
  @Test
  void paddedDataWithoutRoomForItsPadLengthIsOfAWrongSize() {
    refuses(Http2Error.FRAME_SIZE_ERROR, data(1, PADDED));
  }

  @Test
  void aFlagThatIsNotDefinedForATypeIsIgnored() throws Exception {
    read(frame(PRIORITY, PADDED, 1));

    assertThat(heard.events).containsExactly("ignored", "fault 1 FRAME_SIZE_ERROR");
  }

  @Test
  void aStreamThatDependsOnItselfEndsTheConnectionInAFrameThatIsTooShort() {
    refuses(Http2Error.PROTOCOL_ERROR, frame(PRIORITY, 0, 3, number(3)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 4, 6})
  void aPriorityOfAWrongSizeEndsItsStream(int bytes) throws Exception {
    read(frame(PRIORITY, 0, 3, new byte[bytes]));

    assertThat(heard.events).containsExactly("ignored", "fault 3 FRAME_SIZE_ERROR");
  }

  @Test
  void aBlockMayBeEmptyBehindItsPriority() throws Exception {
    read(frame(HEADERS, END_HEADERS | PRIORITY_FLAG, 1, new byte[5]));

    assertThat(heard.events).containsExactly("block 1 (0)");
    refuses(
        Http2Error.FRAME_SIZE_ERROR, frame(HEADERS, END_HEADERS | PRIORITY_FLAG, 3, new byte[4]));
  }

  @Test
  void paddingMayFillTheFrameButNotMore() throws Exception {
    read(frame(HEADERS, END_HEADERS | PADDED, 1, new byte[] {4, 0, 0, 0, 0}));
    read(frame(HEADERS, END_HEADERS | PADDED, 3, new byte[] {3, 0, 0, 0, 0}));
    read(data(5, PADDED, new byte[] {2, 0, 0}));

    assertThat(heard.events)
        .containsExactly("block 1 (0)", "block 3 (1)", "data 5 (3)", "last (0) as a copy");
    refuses(
        Http2Error.PROTOCOL_ERROR,
        frame(HEADERS, END_HEADERS | PADDED, 7, new byte[] {5, 0, 0, 0, 0}));
  }
}
