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
 * Keeps what is written to it outside of the heap, in pieces, until {@link #take} or {@link
 * #close}. The young generation is small: an answer of megabytes on the heap, or a text that grows
 * by being copied, would go straight to the old one, whose collection stops every loop (decision
 * proxy-0016).
 *
 * <p>One thread at a time.
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
   * A writer of JSON to this stream. Characters beyond ASCII that {@linkplain PlainText#steers
   * steer} are written as escapes; a document has them within its texts alone.
   */
  Writer json() {
    return new Writer() {
      @Override
      public void write(int c) {
        PieceStream.this.write(c); // JSON's own characters are ASCII
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
        // Nothing waits anywhere.
      }

      @Override
      public void close() {
        // The stream is taken or closed by its owner.
      }
    };
  }

  /** Writes the ASCII at the beginning of a part of a text; returns how much that was. */
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
   * Returns the bytes that were written, which the caller releases. Nothing can be written after
   * this. A document that fits into one piece is on the heap.
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

  /** Releases what was not taken. */
  @Override
  public void close() {
    if (!taken) {
      taken = true;
      full.release();
    }
  }
}
