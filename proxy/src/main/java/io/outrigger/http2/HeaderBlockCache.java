package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Header blocks of one loop's connections that came or went before, while the table was what it is
 * now: the same bytes then stand for the same list. Most heads of responses, trailers, and heads of
 * requests without trace ids or deadlines of their own are such.
 *
 * <p>What a table holds is told by a number, its <em>state</em>. Tables that nothing was put into
 * yet are in the same one; every change leads to one that no table was ever in. So an entry never
 * becomes wrong, it only ceases to be found, and nothing of a connection that ended is held.
 *
 * <p>Each hash belongs to a set of {@value #WAYS} places, from which the oldest goes. Blocks are
 * kept when they come for the second time, and none of fields that are not to be remembered.
 */
@LoopConfined
final class HeaderBlockCache {
  /** The state of a table as RFC 9113 section 6.5.2 makes it, before its first block. */
  static final long EMPTY_TABLE = 0;

  private static final int PLACES = 128;
  private static final int WAYS = 4;
  private static final int MAX_BYTES = 256;

  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  private record Decoded(long state, byte[] bytes, HeaderList list) {}

  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  private record Encoded(long state, HeaderList list, byte[] bytes) {}

  private final @Nullable Decoded[] decoded = new Decoded[PLACES];
  private final @Nullable Encoded[] encoded = new Encoded[PLACES];
  private final SeenOnceFilter strangers = new SeenOnceFilter(1024);
  private long states = EMPTY_TABLE;

  /** For a table that has just changed. */
  long nextState() {
    return ++states;
  }

  /** The key of a block that a peer sent, for the two methods below; 0 for one that is too long. */
  static int keyOf(long state, byte[] block, int length) {
    return length > MAX_BYTES ? 0 : ByteHash.of((int) state, ByteHash.of(block, 0, length));
  }

  /** What {@code block}, {@code length} bytes long, stands for; null when that is not known. */
  @Nullable HeaderList decoded(int key, long state, byte[] block, int length) {
    int set = key & (PLACES - WAYS);
    for (int i = set; i < set + WAYS; i++) {
      Decoded known = decoded[i];
      if (known != null
          && known.state == state
          && Arrays.equals(known.bytes, 0, known.bytes.length, block, 0, length)) {
        return known.list;
      }
    }
    return null;
  }

  /** {@code block} was decoded to {@code list} and left the table in {@code state}, as it was. */
  void onDecoded(int key, long state, byte[] block, int length, HeaderList list) {
    if (key != 0 && list.recurs() && strangers.isKnown(key)) {
      int set = key & (PLACES - WAYS);
      keep(new Decoded(state, Arrays.copyOf(block, length), list), decoded, set);
    }
  }

  /** The block that {@code list} becomes; null when that is not known. */
  @SuppressWarnings("ReferenceEquality") // a list that recurs is one object
  byte @Nullable [] encoded(long state, HeaderList list) {
    int set = encodedSet(state, list);
    for (int i = set; i < set + WAYS; i++) {
      Encoded known = encoded[i];
      if (known != null && known.list == list && known.state == state) {
        return known.bytes;
      }
    }
    return null;
  }

  /** {@code list}, which recurs, became {@code block} and left the table in its state. */
  void onEncoded(long state, HeaderList list, byte[] block) {
    if (block.length <= MAX_BYTES) {
      keep(new Encoded(state, list, block), encoded, encodedSet(state, list));
    }
  }

  private static int encodedSet(long state, HeaderList list) {
    return ByteHash.of((int) state, list.hash()) & (PLACES - WAYS);
  }

  private static <T> void keep(T newest, @Nullable T[] places, int set) {
    System.arraycopy(places, set, places, set + 1, WAYS - 1);
    places[set] = newest;
  }
}
