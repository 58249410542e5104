package io.outrigger.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import java.nio.charset.StandardCharsets;

/**
 * Looks at the first bytes of a client: HTTP/2 with prior knowledge (RFC 9113 section 3.4), or one
 * of the usual mistakes, which deserves a better answer than silence.
 */
@LoopConfined
final class Preface {
  /** What the bytes so far say. */
  enum Verdict {
    INCOMPLETE,
    HTTP2,
    HTTP1,
    TLS,
    UNKNOWN
  }

  private static final byte[] EXPECTED =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final String ANSWER_TEXT =
      "this port speaks HTTP/2 with prior knowledge (h2c) only\n";

  /** RFC 9112 section 3 recommends to support request lines of 8000 bytes. */
  private static final int MAX_LINE = 8192;

  private final StringBuilder line = new StringBuilder();
  private int matched;
  private boolean diverged;

  /** Takes the preface's bytes from {@code in}, or all of it while it is something else. */
  Verdict read(ByteBuf in) {
    while (!diverged && matched < EXPECTED.length && in.isReadable()) {
      if (in.getByte(in.readerIndex()) == EXPECTED[matched]) {
        in.skipBytes(1);
        matched++;
      } else {
        diverged = true;
        line.append(new String(EXPECTED, 0, matched, StandardCharsets.US_ASCII));
      }
    }
    if (!diverged) {
      return matched == EXPECTED.length ? Verdict.HTTP2 : Verdict.INCOMPLETE;
    }
    int take = Math.min(in.readableBytes(), MAX_LINE - line.length());
    line.append(in.readCharSequence(take, StandardCharsets.ISO_8859_1));
    in.skipBytes(in.readableBytes());
    return judge();
  }

  /** What is kept of bytes that are no preface so far. */
  int heldBytes() {
    return line.length();
  }

  private Verdict judge() {
    if (line.charAt(0) == 0x16) { // TLS record type "handshake", then its version 3.x
      if (line.length() == 1) {
        return Verdict.INCOMPLETE;
      }
      return line.charAt(1) == 0x03 ? Verdict.TLS : Verdict.UNKNOWN;
    }
    int space = line.indexOf(" ");
    int end = line.indexOf("\n");
    int method = space >= 0 ? space : line.length();
    for (int i = 0; i < method; i++) {
      if (line.charAt(i) < 'A' || line.charAt(i) > 'Z') {
        return Verdict.UNKNOWN;
      }
    }
    if (end < 0) {
      return method <= 20 && line.length() < MAX_LINE ? Verdict.INCOMPLETE : Verdict.UNKNOWN;
    }
    return space > 0 && line.substring(space, end).contains(" HTTP/1.")
        ? Verdict.HTTP1
        : Verdict.UNKNOWN;
  }

  /** The whole answer to a client that speaks HTTP/1. */
  static ByteBuf http1Answer() {
    return Unpooled.copiedBuffer(
        "HTTP/1.1 505 HTTP Version Not Supported\r\n"
            + "content-type: text/plain\r\nconnection: close\r\ncontent-length: "
            + ANSWER_TEXT.length()
            + "\r\n\r\n"
            + ANSWER_TEXT,
        StandardCharsets.US_ASCII);
  }
}
