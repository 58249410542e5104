package io.outrigger.proxy.http2;

import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * The names and fields that came as text lately, and the lists, so that one which comes again is
 * neither made nor checked again. A field is kept when it comes for the second time: values that
 * differ with every request, such as trace ids, leave no more than their hash.
 *
 * <p>A place for each hash, no chains: what is displaced is made anew when it comes.
 */
@LoopConfined
final class FieldCache {
  private static final int NAMES = 256;
  private static final int FIELDS = 1024;
  private static final int LISTS = 128;
  private static final int MOST_VALUE_BYTES = 256;

  private final @Nullable HeaderName[] names = new HeaderName[NAMES];
  private final @Nullable HeaderField[] fields = new HeaderField[FIELDS];

  /** The hash of what came last for each place and is not kept. */
  private final int[] strangers = new int[FIELDS];

  /** By the hashes of their fields. */
  private final @Nullable HeaderList[] lists = new HeaderList[LISTS];

  /** The list of {@code fields}: the one made lately when it has these very objects in it. */
  HeaderList list(HeaderList.Builder fields) {
    int place = fields.hash() & (LISTS - 1);
    HeaderList known = lists[place];
    if (known != null && fields.isSame(known)) {
      return known;
    }
    HeaderList list = fields.copy();
    if (fields.mayBeKept()) {
      lists[place] = list;
    }
    return list;
  }

  HeaderName name(byte[] bytes, int at, int length) {
    int hash = ByteHash.of(bytes, at, length);
    int place = hash & (NAMES - 1);
    HeaderName known = names[place];
    if (known != null && known.isSpelled(bytes, at, length, hash)) {
      return known;
    }
    HeaderName name = HeaderName.of(bytes, at, length, hash);
    if (length <= MOST_VALUE_BYTES) {
      names[place] = name;
    }
    return name;
  }

  HeaderField field(HeaderName name, byte[] bytes, int at, int length) {
    int hash = HeaderField.hash(name, bytes, at, length);
    int place = hash & (FIELDS - 1);
    HeaderField known = fields[place];
    if (known != null && known.isSpelled(name, bytes, at, length, hash)) {
      return known;
    }
    HeaderField field = HeaderField.copyOf(name, bytes, at, length, hash);
    if (strangers[place] != hash) {
      strangers[place] = hash;
    } else if (length <= MOST_VALUE_BYTES) {
      fields[place] = field;
    }
    return field;
  }
}
