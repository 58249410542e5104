package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.http2.testing.Frames;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** RFC 9113 section 6.5.2: the valid values and the effect of each setting. */
final class PeerSettingsTest {
  private static final int ENABLE_PUSH = FrameType.SETTINGS_ENABLE_PUSH;

  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelOutboundHandlerAdapter());
  private final FrameWriter writer = new FrameWriter(channel.pipeline().firstContext(), () -> {});
  private final PeerSettings settings = new PeerSettings(false, writer);
  private final List<Integer> resized = new ArrayList<>();

  @AfterEach
  void close() {
    writer.release();
    channel.finishAndReleaseAll();
  }

  private void apply(PeerSettings to, int... idsAndValues) throws ConnectionFault {
    ByteBuf payload = Unpooled.wrappedBuffer(Frames.settings(idsAndValues));
    payload.skipBytes(FrameType.HEADER_BYTES);
    to.apply(payload, resized::add);
  }

  private void refuses(PeerSettings by, Http2Error error, int id, long value) {
    assertThatExceptionOfType(ConnectionFault.class)
        .isThrownBy(() -> apply(by, id, (int) value))
        .satisfies(fault -> assertThat(fault.error()).isEqualTo(error))
        .withMessageEndingWith("of " + value);
  }

  @Test
  void aClientMayTakePushesOrNot() throws Exception {
    apply(settings, ENABLE_PUSH, 0);
    apply(settings, ENABLE_PUSH, 1);

    refuses(settings, Http2Error.PROTOCOL_ERROR, ENABLE_PUSH, 2);
    refuses(settings, Http2Error.PROTOCOL_ERROR, ENABLE_PUSH, 0xffff_ffffL);
  }

  @Test
  void theLargestHeaderListIsRememberedAsAnUnsignedNumber() throws Exception {
    assertThat(settings.maxHeaderListBytes()).isEqualTo(Long.MAX_VALUE);
    apply(settings, FrameType.SETTINGS_MAX_HEADER_LIST_SIZE, 8192);
    assertThat(settings.maxHeaderListBytes()).isEqualTo(8192);
    apply(settings, FrameType.SETTINGS_MAX_HEADER_LIST_SIZE, -1);
    assertThat(settings.maxHeaderListBytes()).isEqualTo(0xffff_ffffL);
  }

  @Test
  void aServerCannotAskForPushes() throws Exception {
    var ofServer = new PeerSettings(true, writer);
    apply(ofServer, ENABLE_PUSH, 0);

    refuses(ofServer, Http2Error.PROTOCOL_ERROR, ENABLE_PUSH, 1);
    refuses(ofServer, Http2Error.PROTOCOL_ERROR, ENABLE_PUSH, 2);
  }

  @Test
  void framesMayBeAsLargeAsThePeerSays() throws Exception {
    assertThat(writer.maxFrameSize()).isEqualTo(16_384);
    apply(settings, Frames.MAX_FRAME_SIZE, 16_777_215);
    assertThat(writer.maxFrameSize()).isEqualTo(16_777_215);
    apply(settings, Frames.MAX_FRAME_SIZE, 16_384);
    assertThat(writer.maxFrameSize()).isEqualTo(16_384);

    refuses(settings, Http2Error.PROTOCOL_ERROR, Frames.MAX_FRAME_SIZE, 16_383);
    refuses(settings, Http2Error.PROTOCOL_ERROR, Frames.MAX_FRAME_SIZE, 16_777_216);
    refuses(settings, Http2Error.PROTOCOL_ERROR, Frames.MAX_FRAME_SIZE, 0xffff_ffffL);
  }

  @Test
  void aPeerWithoutATableIsToldThatItIsEmpty() throws Exception {
    apply(settings, Frames.HEADER_TABLE_SIZE, 0);

    assertThat(writer.hpack().encode(Messages.POST).bytes()[0]).isEqualTo((byte) 0x20);
  }

  @Test
  void moreStreamsThanCanBeCountedAreAsManyAsCanBe() throws Exception {
    apply(settings, Frames.MAX_CONCURRENT_STREAMS, 100);
    assertThat(settings.maxConcurrentStreams()).isEqualTo(100);

    apply(settings, Frames.MAX_CONCURRENT_STREAMS, -1);
    assertThat(settings.maxConcurrentStreams()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void aWindowHasAtMost31Bits() throws Exception {
    apply(settings, Frames.INITIAL_WINDOW_SIZE, Integer.MAX_VALUE);
    assertThat(settings.initialWindow()).isEqualTo(Integer.MAX_VALUE);

    refuses(settings, Http2Error.FLOW_CONTROL_ERROR, Frames.INITIAL_WINDOW_SIZE, 1L << 31);
    assertThat(settings.initialWindow()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void openStreamsHearOfEachChangeInOrder() throws Exception {
    int id = Frames.INITIAL_WINDOW_SIZE;
    apply(settings, id, 70_000, id, 4, id, 4, id, 5);

    assertThat(resized).containsExactly(4465, -69_996, 1);
    assertThat(settings.initialWindow()).isEqualTo(5);
  }

  @Test
  void aWindowThatStaysIsNotTold() throws Exception {
    apply(settings, Frames.INITIAL_WINDOW_SIZE, 65_535, Frames.MAX_HEADER_LIST_SIZE, 1, 0x1234, 5);

    assertThat(resized).isEmpty();
  }
}
