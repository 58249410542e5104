package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.outrigger.http2.testing.Frames;
import io.outrigger.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Compares our frame reader with Netty's: both read the same frames from random bytes, or fail at
 * the same place.
 */
final class FrameOracleTest {
  /** The end of every input: completes any incomplete frame, and adds DATA without a stream. */
  static final int ZEROS = 17_000;

  private static final int ENABLE_CONNECT_PROTOCOL = 8;

  private static final int LARGEST_LIST = 1 << 20;

  private static final ConnectionSettings SETTINGS =
      ConnectionSettings.DEFAULT.withMaxHeaderListBytes(LARGEST_LIST);

  @Test
  void anyBytesMeanTheSameToBoth() {
    Seeds.each(
        3_000,
        seed -> {
          byte[] bytes = bytes(new Random(seed));
          compare("seed " + seed, bytes, new Random(seed));
        });
  }

  /**
   * Reads {@code bytes} after the preface and SETTINGS with both readers; our reader gets them in
   * chunks.
   */
  static void compare(String what, byte[] bytes, Random cuts) {
    List<String> ours = ours(bytes, cuts);
    List<String> nettys = nettys(bytes);

    assertThat(isSame(ours, nettys)).as("%s%nours    %s%nNetty's %s", what, ours, nettys).isTrue();
  }

  /**
   * Whether both readers have reported the same events, up to the place where our reader ends the
   * connection and Netty also finds an error. The error codes may differ: a frame may break two
   * rules, and section 5.4.1 permits a connection error where a stream error is sufficient (section
   * 4.2 demands a connection error for header blocks).
   */
  private static boolean isSame(List<String> ours, List<String> nettys) {
    int same = 0;
    while (same < ours.size() && same < nettys.size() && ours.get(same).equals(nettys.get(same))) {
      same++;
    }
    if (same == ours.size() && same == nettys.size()) {
      return true;
    }
    return same == ours.size() - 1
        && same < nettys.size()
        && ours.get(same).startsWith("CONNECTION ")
        && (nettys.get(same).startsWith("CONNECTION ") || nettys.get(same).startsWith("STREAM "));
  }

  private static byte[] bytes(Random random) {
    List<byte[]> frames = new ArrayList<>();
    frames.add(Frames.settings());
    for (int i = random.nextInt(12); i >= 0; i--) {
      frames.add(frame(random));
    }
    byte[] bytes = Frames.join(frames.toArray(new byte[0][]));
    for (int i = random.nextInt(3) * random.nextInt(2); i > 0; i--) {
      bytes[9 + random.nextInt(bytes.length - 9)] = (byte) random.nextInt(256);
    }
    int length = random.nextInt(4) == 0 ? 9 + random.nextInt(bytes.length - 9) : bytes.length;
    return Arrays.copyOf(Arrays.copyOf(bytes, length), length + ZEROS);
  }

  private static byte[] frame(Random random) {
    int id = random.nextInt(6);
    int flags = random.nextInt(3) == 0 ? random.nextInt(256) : random.nextInt(2) * 4;
    byte[] payload = new byte[random.nextInt(24)];
    random.nextBytes(payload);
    return switch (random.nextInt(12)) {
      case 0 -> Frames.request(id);
      case 1 ->
          Frames.join(
              Frames.headers(id, 0, Frames.REQUEST),
              Frames.frame(Frames.CONTINUATION, flags, id, Frames.block("a", "b")));
      case 2, 3 -> Frames.data(id, flags, new byte[random.nextInt(300)]);
      case 4 -> Frames.windowUpdate(id, random.nextInt(3) == 0 ? 0 : random.nextInt());
      case 5 -> Frames.reset(id, Http2Error.ofCode(random.nextInt(14)));
      case 6 -> Frames.settings(random.nextInt(8), random.nextInt(20_000) << random.nextInt(18));
      case 7 -> Frames.ping(random.nextLong());
      case 8 -> Frames.goAway(id, Http2Error.NO_ERROR);
      case 9 ->
          Frames.frame(
              Frames.PRIORITY,
              flags,
              id,
              Frames.join(Frames.number(random.nextInt(6)), new byte[random.nextInt(2)]));
      default -> {
        int type = random.nextInt(12);
        yield Frames.frame(type == Frames.PUSH_PROMISE ? 0 : type, flags, id, payload);
      }
    };
  }

  private static EmbeddedChannel channel() {
    return new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  }

  /** Our reader, with those rules of {@link InboundFrames} that Netty's reader also checks. */
  private static List<String> ours(byte[] bytes, Random cuts) {
    EmbeddedChannel channel = channel();
    ChannelHandlerContext ctx = channel.pipeline().firstContext();
    var events = new OurEvents(ctx);
    var reader = new FrameReader(events, SETTINGS);
    try {
      for (int at = 0; at < bytes.length; ) {
        int cut = Math.min(bytes.length - at, 1 + cuts.nextInt(cuts.nextBoolean() ? 5 : 500));
        ByteBuf part = Unpooled.copiedBuffer(bytes, at, cut);
        try {
          reader.read(part, ctx.alloc());
        } finally {
          part.release();
        }
        at += cut;
      }
    } catch (ConnectionFault fault) {
      events.add("CONNECTION " + fault.error());
    }
    reader.release();
    events.release();
    channel.finishAndReleaseAll();
    return events.heard;
  }

  private static List<String> nettys(byte[] bytes) {
    EmbeddedChannel channel = channel();
    ChannelHandlerContext ctx = channel.pipeline().firstContext();
    var events = new NettysEvents();
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    boolean broken = false;
    try (var reader =
        new DefaultHttp2FrameReader(new DefaultHttp2HeadersDecoder(false, LARGEST_LIST))) {
      while (!broken) {
        int before = in.readerIndex();
        int heard = events.heard.size();
        try {
          reader.readFrame(ctx, in, events);
        } catch (Http2Exception e) {
          boolean ofStream = Http2Exception.isStreamError(e);
          events.heard.add((ofStream ? "STREAM " : "CONNECTION ") + e.error());
          broken = !ofStream;
        }
        if (in.readerIndex() == before && events.heard.size() == heard) {
          break;
        }
      }
    }
    in.release();
    channel.finishAndReleaseAll();
    return events.heard;
  }

  private static String data(int id, int flowBytes, boolean end, byte[] content) {
    return "DATA " + id + " " + flowBytes + (end ? "! " : " ") + Arrays.hashCode(content);
  }

  private static final class OurEvents implements FrameListener {
    private final List<String> heard = new ArrayList<>();
    private final DefaultHttp2HeadersDecoder hpack =
        new DefaultHttp2HeadersDecoder(false, LARGEST_LIST);
    private final FrameWriter writer;
    private final PeerSettings settings;
    private ByteBuf content = Unpooled.buffer();
    private int dataId;
    private int dataFlow;
    private boolean dataEnds;

    OurEvents(ChannelHandlerContext ctx) {
      writer = new FrameWriter(ctx, () -> {});
      settings = new PeerSettings(false, writer);
    }

    void add(String event) {
      heard.add(event);
    }

    void release() {
      writer.release();
      content.release();
    }

    @Override
    public void onDataStart(int id, int flowBytes, int padding, boolean endStream) {
      dataId = id;
      dataFlow = flowBytes;
      dataEnds = endStream;
      content.clear();
    }

    @Override
    public void onDataPart(ByteBuf part, boolean last) {
      content.writeBytes(part);
      part.release();
      if (last) {
        add(data(dataId, dataFlow, dataEnds, ByteBufUtil.getBytes(content)));
      }
    }

    @Override
    public void onHeaderBlock(int id, ByteBuf block, boolean endStream) throws ConnectionFault {
      try {
        add("HEADERS " + id + (endStream ? "! " : " ") + hpack.decodeHeaders(id, block));
      } catch (Http2Exception e) {
        throw new ConnectionFault(Http2Error.COMPRESSION_ERROR, "as Netty says");
      }
    }

    @Override
    public void onReset(int id, long code) {
      add("RST_STREAM " + id + " " + code);
    }

    @Override
    public void onSettings(ByteBuf payload) throws ConnectionFault {
      for (int at = 0; at < payload.readableBytes(); at += 6) {
        // RFC 8441: a setting that is unknown to us, and so ignored; Netty checks it.
        if (payload.getShort(payload.readerIndex() + at) == ENABLE_CONNECT_PROTOCOL
            && payload.getInt(payload.readerIndex() + at + 2) >>> 1 != 0) {
          throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "as Netty says");
        }
      }
      settings.apply(payload, change -> {});
      add("SETTINGS");
    }

    @Override
    public void onSettingsAck() {
      add("SETTINGS ack");
    }

    @Override
    public void onPing(long opaque, boolean ack) {
      add("PING " + opaque + ack);
    }

    @Override
    public void onGoAway(int lastStreamId, long code, ByteBuf debug) {
      add("GOAWAY " + lastStreamId + " " + code + " " + debug.readableBytes());
    }

    @Override
    public void onWindowUpdate(int id, int increment) throws ConnectionFault {
      if (increment > 0) {
        add("WINDOW_UPDATE " + id + " " + increment);
      } else if (id == 0) {
        throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "WINDOW_UPDATE of nothing");
      } else {
        add("STREAM PROTOCOL_ERROR");
      }
    }

    @Override
    public void onIgnored() {}

    @Override
    public void onStreamFault(int id, Http2Error error, String reason) {
      add("STREAM " + error);
    }
  }

  private static final class NettysEvents extends Http2FrameAdapter {
    private final List<String> heard = new ArrayList<>();

    @Override
    public int onDataRead(
        ChannelHandlerContext ctx, int id, ByteBuf data, int padding, boolean endOfStream) {
      byte[] content = ByteBufUtil.getBytes(data);
      heard.add(FrameOracleTest.data(id, content.length + padding, endOfStream, content));
      return content.length + padding;
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx, int id, Http2Headers headers, int padding, boolean endStream) {
      heard.add("HEADERS " + id + (endStream ? "! " : " ") + headers);
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx,
        int id,
        Http2Headers headers,
        int dependency,
        short weight,
        boolean exclusive,
        int padding,
        boolean endStream) {
      onHeadersRead(ctx, id, headers, padding, endStream);
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int id, long code) {
      heard.add("RST_STREAM " + id + " " + code);
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings) {
      heard.add("SETTINGS");
    }

    @Override
    public void onSettingsAckRead(ChannelHandlerContext ctx) {
      heard.add("SETTINGS ack");
    }

    @Override
    public void onPingRead(ChannelHandlerContext ctx, long data) {
      heard.add("PING " + data + false);
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext ctx, long data) {
      heard.add("PING " + data + true);
    }

    @Override
    public void onGoAwayRead(ChannelHandlerContext ctx, int last, long code, ByteBuf debug) {
      heard.add("GOAWAY " + last + " " + code + " " + debug.readableBytes());
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext ctx, int id, int increment) {
      heard.add("WINDOW_UPDATE " + id + " " + increment);
    }

    @Override
    public void onPushPromiseRead(
        ChannelHandlerContext ctx, int id, int promised, Http2Headers headers, int padding)
        throws Http2Exception {
      throw Http2Exception.connectionError(
          io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR, "as its server says");
    }

    @Override
    public void onUnknownFrame(
        ChannelHandlerContext ctx, byte type, int id, Http2Flags flags, ByteBuf payload) {}

    @Override
    public void onPriorityRead(
        ChannelHandlerContext ctx, int id, int dependency, short weight, boolean exclusive) {}
  }
}
