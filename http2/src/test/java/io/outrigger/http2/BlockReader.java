package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.NettyHpack.Field;
import io.outrigger.http2.Script.Sends;
import io.outrigger.http2.Script.Step;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import java.util.Arrays;
import java.util.List;

/** Reads the header blocks in a peer's frames without any check of their fields. */
@LoopConfined
final class BlockReader {
  /** A whole header block. */
  @SuppressWarnings("ArrayRecordComponent") // never compared by equals
  record Block(byte[] bytes, List<Field> fields) {
    static final Block NONE = new Block(new byte[0], List.of());
  }

  private final NettyHpack hpack = new NettyHpack(Endpoint.MAX_HEADER_LIST);
  private byte[] bytes = {};

  /** The block that ends with {@code step}; empty when no block ends there. */
  Block blockOf(Step step) {
    if (!(step instanceof Sends sends)) {
      return Block.NONE;
    }
    Frame frame = sends.frame();
    if (frame.type() == FrameType.HEADERS) {
      bytes = fragment(frame);
    } else if (frame.type() == FrameType.CONTINUATION) {
      bytes = Frames.join(bytes, frame.payload());
    } else {
      return Block.NONE;
    }
    if ((frame.flags() & FrameType.FLAG_END_HEADERS) == 0) {
      return Block.NONE;
    }
    var unused = hpack.decode(bytes);
    return new Block(bytes, hpack.fields());
  }

  /** RFC 9113 section 6.2: the field block fragment of HEADERS. */
  private static byte[] fragment(Frame frame) {
    byte[] payload = frame.payload();
    int from = 0;
    int to = payload.length;
    if ((frame.flags() & FrameType.FLAG_PADDED) != 0 && to > 0) {
      from = 1;
      to -= payload[0] & 0xff;
    }
    if ((frame.flags() & FrameType.FLAG_PRIORITY) != 0) {
      from += 5;
    }
    return from <= to ? Arrays.copyOfRange(payload, from, to) : new byte[0];
  }
}
