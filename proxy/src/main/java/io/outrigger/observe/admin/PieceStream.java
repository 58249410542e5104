package io.outrigger.observe.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.outrigger.base.AnyThread;
import io.outrigger.base.PlainText;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Stores written bytes outside the heap, in pieces, until {@link #take} or {@link #close}. The
 * young generation is small. A reply of several megabytes on the heap, or a text that is copied as
 * it grows, would go directly to the old generation, whose collection pauses every event loop
 * (decision proxy-0016).
 *
 * <p>Used by one thread at a time.
 */
@AnyThread
public final class PieceStream extends OutputStream {
  private static final int PIECE_BYTES = 32 * 1024;

  private final byte[] piece = new byte[PIECE_BYTES];
  private int length;
  private final CompositeByteBuf full =
      ByteBufAllocator.DEFAULT.compositeDirectBuffer(Integer.MAX_VALUE);
  private boolean taken;

  @Override
  public void write(int b) {
    if (length == PIECE_BYTES) {
      endPiece();
    }
    piece[length++] = (byte) b;
  }

  @Override
  public void write(byte[] bytes, int offset, int count) {
    int done = 0;
    while (done < count) {
      if (length == PIECE_BYTES) {
        endPiece();
      }
      int part = Math.min(count - done, PIECE_BYTES - length);
      System.arraycopy(bytes, offset + done, piece, length, part);
      length += part;
      done += part;
    }
  }

  /**
   * Returns a JSON writer to this stream. Characters beyond ASCII that {@linkplain PlainText#steers
   * can control a terminal} are written as JSON escapes; they occur only inside JSON texts.
   */
  Writer json() {
    return new Writer() {
      @Override
      public void write(int c) {
        PieceStream.this.write(c); // the structural characters of JSON are ASCII
      }

      @Override
      public void write(char[] text, int offset, int count) {
        write(new String(text, offset, count));
      }

      @Override
      public void write(String text) {
        write(text, 0, text.length());
      }

      @Override
      public void write(String text, int offset, int count) {
        int plain = ascii(text, offset, count);
        if (plain < count) {
          String rest = PlainText.ofJson(text.substring(offset + plain, offset + count));
          byte[] bytes = rest.getBytes(StandardCharsets.UTF_8);
          PieceStream.this.write(bytes, 0, bytes.length);
        }
      }

      @Override
      public void flush() {
        // The writer has no buffer.
      }

      @Override
      public void close() {
        // The owner of the stream takes or closes it.
      }
    };
  }

  /** Writes the ASCII characters at the beginning of the range; returns their number. */
  private int ascii(String text, int offset, int count) {
    if (count > PIECE_BYTES) {
      return 0;
    }
    if (count > PIECE_BYTES - length) {
      endPiece();
    }
    for (int i = 0; i < count; i++) {
      char c = text.charAt(offset + i);
      if (c >= 0x7F) {
        return i;
      }
      piece[length++] = (byte) c;
    }
    return count;
  }

  private void endPiece() {
    full.addComponent(
        true, ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(piece, 0, length));
    length = 0;
  }

  /**
   * Returns the written bytes, which the caller releases. The stream cannot be written to
   * afterwards. A document that fits into one piece is on the heap.
   */
  public ByteBuf take() {
    taken = true;
    if (full.numComponents() == 0) {
      full.release();
      return Unpooled.wrappedBuffer(Arrays.copyOf(piece, length));
    }
    endPiece();
    return full;
  }

  /** Releases the bytes unless they were taken. */
  @Override
  public void close() {
    if (!taken) {
      taken = true;
      full.release();
    }
  }
}
