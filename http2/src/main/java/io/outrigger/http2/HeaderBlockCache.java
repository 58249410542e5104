package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Caches header blocks and the header lists that they encode, for all connections of one event
 * loop. While the dynamic table has the same content, the same bytes always decode to the same
 * list. Most response heads and trailers recur, and so do request heads without trace ids or
 * deadlines. Connections that receive equal lists share one list object.
 *
 * <p>A number, the <em>state number</em>, identifies the content of a dynamic table. All new
 * dynamic tables have the same state number. Every change of a table gives it a state number that
 * no table has had before. A lookup finds only entries that were made with the table's present
 * state number, so it never returns a wrong list.
 *
 * <p>The cache is set-associative: each hash belongs to a set of {@value #WAYS} slots. A new entry
 * evicts the oldest entry of its set. A block is cached when it occurs for the second time. A block
 * with a field that is never indexed is not cached.
 */
@LoopConfined
final class HeaderBlockCache {
  /** The state number of every new dynamic table. */
  static final long EMPTY_TABLE = 0;

  private static final int SLOTS = 128;
  private static final int WAYS = 4;
  private static final int MAX_BYTES = 256;

  @SuppressWarnings("ArrayRecordComponent") // entries are never compared
  private record Decoded(long state, byte[] bytes, HeaderList list) {}

  @SuppressWarnings("ArrayRecordComponent") // entries are never compared
  private record Encoded(long state, HeaderList list, byte[] bytes) {}

  private final @Nullable Decoded[] decoded = new Decoded[SLOTS];
  private final @Nullable Encoded[] encoded = new Encoded[SLOTS];

  /** The header lists in {@link #decoded}, by the hash of each list's fields. */
  private final @Nullable HeaderList[] lists = new HeaderList[SLOTS];

  private final SeenOnceFilter seenOnce = new SeenOnceFilter(1024);
  private long states = EMPTY_TABLE;

  long nextState() {
    return ++states;
  }

  /** The key of a received block; 0 for a block that is too long for the cache. */
  static int keyOf(long state, byte[] block, int length) {
    return length > MAX_BYTES ? 0 : ByteHash.of((int) state, ByteHash.of(block, 0, length));
  }

  /** The cached list of a received block; null when the block is not cached. */
  @Nullable HeaderList decoded(int key, long state, byte[] block, int length) {
    int set = key & (SLOTS - WAYS);
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

  /**
   * Called when a block was decoded and has not changed the dynamic table; returns the list of the
   * block's fields.
   */
  HeaderList onDecoded(int key, long state, byte[] block, int length, HeaderList.Builder fields) {
    if (key == 0 || !fields.isCacheable() || !seenOnce.isKnown(key)) {
      return fields.copy(false);
    }
    HeaderList list = recurring(fields);
    int set = key & (SLOTS - WAYS);
    keep(new Decoded(state, Arrays.copyOf(block, length), list), decoded, set);
    return list;
  }

  private HeaderList recurring(HeaderList.Builder fields) {
    int set = fields.hash() & (SLOTS - WAYS);
    for (int i = set; i < set + WAYS; i++) {
      HeaderList known = lists[i];
      if (known != null && fields.isSame(known)) {
        return known;
      }
    }
    HeaderList list = fields.copy(true);
    keep(list, lists, set);
    return list;
  }

  /** The cached block of a list; null when the list is not cached. */
  @SuppressWarnings("ReferenceEquality") // equal cached lists are one object
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

  /** Caches the block of a recurring list whose encoding did not change the dynamic table. */
  void onEncoded(long state, HeaderList list, byte[] block) {
    if (block.length <= MAX_BYTES) {
      keep(new Encoded(state, list, block), encoded, encodedSet(state, list));
    }
  }

  private static int encodedSet(long state, HeaderList list) {
    return ByteHash.of((int) state, list.hash()) & (SLOTS - WAYS);
  }

  private static <T> void keep(T newest, @Nullable T[] slots, int set) {
    System.arraycopy(slots, set, slots, set + 1, WAYS - 1);
    slots[set] = newest;
  }

  /**
   * Remembers the hashes of recent values, to distinguish values that recur from values that occur
   * only once. Each hash belongs to a set of {@value #PER_SET} hashes; a new hash evicts the oldest
   * hash of its set. Even if {@value #PER_SET} fields of one header list belong to the same set,
   * all of them are recognized when the list occurs again.
   */
  @LoopConfined
  static final class SeenOnceFilter {
    private static final int PER_SET = 8;

    private final int[] hashes;

    /**
     * @param capacity the number of hashes to keep, a power of two of at least {@value #PER_SET}
     */
    SeenOnceFilter(int capacity) {
      hashes = new int[capacity];
    }

    /** Remembers a hash, and returns whether the hash was already remembered. */
    boolean isKnown(int hash) {
      int set = hash & (hashes.length - PER_SET);
      for (int i = 0; i < PER_SET; i++) {
        if (hashes[set + i] == hash) {
          return true;
        }
      }
      System.arraycopy(hashes, set, hashes, set + 1, PER_SET - 1);
      hashes[set] = hash;
      return false;
    }
  }
}
