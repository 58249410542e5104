package io.outrigger.proxy.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.outrigger.base.AnyThread;
import java.io.OutputStream;

/**
 * Keeps what is written to it outside of the heap, in pieces, until {@link #take} or {@link
 * #close}. The young generation is small: an answer of megabytes on the heap, or a text that grows
 * by being copied, would go straight to the old one, whose collection stops every loop (decision
 * 0016).
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
  public void write(byte[] bytes) {
    write(bytes, 0, bytes.length);
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
   * Writes {@code text} as far as it is printable ASCII without quotes and backslashes, which is
   * mostly all of it. Returns how many characters that were.
   */
  int writePlain(String text) {
    int count = text.length();
    if (count > PIECE_BYTES - length) {
      return 0; // the caller writes each by itself
    }
    byte[] to = piece;
    int at = length;
    for (int i = 0; i < count; i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        length = at;
        return i;
      }
      to[at++] = (byte) c;
    }
    length = at;
    return count;
  }

  private void endPiece() {
    full.addComponent(
        true, ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(piece, 0, length));
    length = 0;
  }

  /** What was written; whoever takes it releases it. Nothing can be written any more. */
  public ByteBuf take() {
    endPiece();
    taken = true;
    return full;
  }

  /** Releases what nobody took. */
  @Override
  public void close() {
    if (!taken) {
      taken = true;
      full.release();
    }
  }
}
