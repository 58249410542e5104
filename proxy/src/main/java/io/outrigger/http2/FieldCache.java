package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * The names and fields that came as text lately, and the lists, so that one which comes again is
 * neither made nor checked again. A field or a list is kept when it comes for the second time:
 * values that differ with every request, such as trace ids, leave no more than their hash.
 *
 * <p>Each hash belongs to a set of {@value #WAYS} places, from which the oldest goes; what is gone
 * is made anew when it comes.
 */
@LoopConfined
final class FieldCache {
  private static final int NAMES = 256;
  private static final int FIELDS = 1024;
  private static final int LISTS = 128;
  private static final int WAYS = 4;

  /** Of a field's name and value together, so that all that is kept is a few hundred kilobytes. */
  private static final int MAX_FIELD_BYTES = 256;

  private final @Nullable HeaderName[] names = new HeaderName[NAMES];
  private final @Nullable HeaderField[] fields = new HeaderField[FIELDS];

  private final SeenOnceFilter strangers = new SeenOnceFilter(FIELDS);
  private final SeenOnceFilter strangeLists = new SeenOnceFilter(FIELDS);

  /** By the hashes of their fields. */
  private final @Nullable HeaderList[] lists = new HeaderList[LISTS];

  /** The list of {@code fields}: the one made lately when it has these very objects in it. */
  HeaderList list(HeaderList.Builder fields) {
    int hash = fields.hash();
    int set = hash & (LISTS - WAYS);
    for (int i = set; i < set + WAYS; i++) {
      HeaderList known = lists[i];
      if (known != null && fields.isSame(known)) {
        return known;
      }
    }
    if (!strangeLists.isKnown(hash) || !fields.mayBeKept()) {
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
    if (name.text().length() + length <= MAX_FIELD_BYTES && strangers.isKnown(hash)) {
      keep(field, fields, set);
    }
    return field;
  }

  private static <T> void keep(T newest, @Nullable T[] places, int set) {
    System.arraycopy(places, set, places, set + 1, WAYS - 1);
    places[set] = newest;
  }
}
