package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * Caches names, fields and lists that were received lately, so that an object which is received
 * again is neither created nor checked again. A field or a list is cached when it is received for
 * the second time. Values that differ with every request, such as trace ids, leave only their hash.
 *
 * <p>The cache is set-associative: each hash belongs to a set of {@value #WAYS} places, and a new
 * entry evicts the oldest of its set. An evicted object is created again when it is received again.
 */
@LoopConfined
final class FieldCache {
  private static final int NAMES = 256;
  private static final int FIELDS = 1024;
  private static final int LISTS = 128;
  private static final int WAYS = 4;

  /**
   * The maximum length of a cached field's name and value together; it limits the whole cache to a
   * few hundred kilobytes.
   */
  private static final int MAX_FIELD_BYTES = 256;

  private final @Nullable HeaderName[] names = new HeaderName[NAMES];
  private final @Nullable HeaderField[] fields = new HeaderField[FIELDS];

  private final SeenOnceFilter fieldsSeenOnce = new SeenOnceFilter(FIELDS);
  private final SeenOnceFilter listsSeenOnce = new SeenOnceFilter(FIELDS);

  /** Lists by the hash of their fields. */
  private final @Nullable HeaderList[] lists = new HeaderList[LISTS];

  /**
   * Returns the list of {@code fields}: a cached list if it consists of the same field objects,
   * otherwise a new one.
   */
  HeaderList list(HeaderList.Builder fields) {
    int hash = fields.hash();
    int set = hash & (LISTS - WAYS);
    for (int i = set; i < set + WAYS; i++) {
      HeaderList known = lists[i];
      if (known != null && fields.isSame(known)) {
        return known;
      }
    }
    if (!listsSeenOnce.isKnown(hash) || !fields.mayBeKept()) {
      return fields.copy(false);
    }
    HeaderList list = fields.copy(true);
    keep(list, lists, set);
    return list;
  }

  HeaderName name(byte[] bytes, int at, int length) {
    int hash = ByteHash.of(bytes, at, length);
    int set = hash & (NAMES - WAYS);
    for (int i = set; i < set + WAYS; i++) {
      HeaderName known = names[i];
      if (known != null && known.matches(bytes, at, length, hash)) {
        return known;
      }
    }
    HeaderName name = HeaderName.of(bytes, at, length, hash);
    if (length <= MAX_FIELD_BYTES) {
      keep(name, names, set);
    }
    return name;
  }

  HeaderField field(HeaderName name, byte[] bytes, int at, int length) {
    int hash = HeaderField.hash(name, bytes, at, length);
    int set = hash & (FIELDS - WAYS);
    for (int i = set; i < set + WAYS; i++) {
      HeaderField known = fields[i];
      if (known != null && known.matches(name, bytes, at, length, hash)) {
        return known;
      }
    }
    HeaderField field = HeaderField.copyOf(name, bytes, at, length, hash);
    if (name.text().length() + length <= MAX_FIELD_BYTES && fieldsSeenOnce.isKnown(hash)) {
      keep(field, fields, set);
    }
    return field;
  }

  private static <T> void keep(T newest, @Nullable T[] places, int set) {
    System.arraycopy(places, set, places, set + 1, WAYS - 1);
    places[set] = newest;
  }
}
