package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import java.nio.charset.StandardCharsets;

/**
 * Examines the first bytes of a client, which must be the preface of HTTP/2 with prior knowledge
 * (RFC 9113 section 3.4). HTTP/1 and TLS get specific error messages.
 */
@LoopConfined
final class Preface {
  enum Verdict {
    INCOMPLETE,
    HTTP2,
    HTTP1,
    TLS,
    UNKNOWN
  }

  private static final String ANSWER_TEXT =
      "this port speaks HTTP/2 with prior knowledge (h2c) only\n";

  /** The maximum length of an HTTP/1 request line; RFC 9112 section 3 recommends at least 8000. */
  private static final int MAX_LINE = 8192;

  /** The text before the minor version in a request line of HTTP/1. */
  private static final byte[] VERSION = " HTTP/1.".getBytes(StandardCharsets.US_ASCII);

  private static final int TLS_HANDSHAKE = 0x16;
  private static final int TLS_MAJOR = 0x03;
  private static final int MAX_METHOD = 20;

  private int matched;
  private boolean diverged;

  // The fields below describe a first line that is not the preface; the line itself is not kept.

  private int length;
  private boolean tlsRecord;
  private boolean methodEnded;

  /** The number of bytes of {@link #VERSION} that match so far; constant after a full match. */
  private int version;

  /** Consumes the bytes of the preface, or all bytes if the client sends something else. */
  Verdict read(ByteBuf in) {
    while (!diverged && matched < FrameWriter.PREFACE.length && in.isReadable()) {
      if (in.getByte(in.readerIndex()) == FrameWriter.PREFACE[matched]) {
        in.skipBytes(1);
        matched++;
      } else {
        diverged = true;
      }
    }
    if (!diverged) {
      return matched == FrameWriter.PREFACE.length ? Verdict.HTTP2 : Verdict.INCOMPLETE;
    }
    Verdict verdict = Verdict.INCOMPLETE;
    while (length < matched && verdict == Verdict.INCOMPLETE) {
      verdict = next(FrameWriter.PREFACE[length]);
    }
    while (in.isReadable() && verdict == Verdict.INCOMPLETE) {
      verdict = next(in.readByte());
    }
    in.skipBytes(in.readableBytes());
    return verdict;
  }

  /** Examines one byte of a first line that is not the preface, to recognize HTTP/1 and TLS. */
  private Verdict next(byte next) {
    length++;
    if (length == 1 && next == TLS_HANDSHAKE) {
      tlsRecord = true;
      return Verdict.INCOMPLETE;
    }
    if (tlsRecord) {
      return next == TLS_MAJOR ? Verdict.TLS : Verdict.UNKNOWN;
    }
    if (!methodEnded && next != ' ') {
      boolean fits = ((next >= 'A' && next <= 'Z') || next == '-') && length <= MAX_METHOD;
      return fits ? Verdict.INCOMPLETE : Verdict.UNKNOWN;
    }
    if (next == '\n') {
      return version == VERSION.length ? Verdict.HTTP1 : Verdict.UNKNOWN;
    }
    methodEnded = true;
    if (version < VERSION.length) {
      version = next == VERSION[version] ? version + 1 : next == VERSION[0] ? 1 : 0;
    }
    return length > 1 && length < MAX_LINE ? Verdict.INCOMPLETE : Verdict.UNKNOWN;
  }

  /** The complete response to a client that speaks HTTP/1. */
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
