package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Caches the names and fields that were recently received as literals, for all connections of one
 * event loop. A field that recurs is neither copied nor checked again, even if other fields of its
 * block, such as a trace id, differ. A new field replaces the field in the same slot of the hash
 * table.
 */
@LoopConfined
final class FieldCache {
  private static final int SLOTS = 512;

  /** The maximum length of a cached name or value. Fields with secret values are not cached. */
  private static final int MAX_BYTES = 128;

  private final @Nullable HeaderName[] names = new HeaderName[SLOTS];
  private final @Nullable HeaderField[] fields = new HeaderField[SLOTS];

  HeaderName name(byte[] bytes, int at, int length) {
    int hash = ByteHash.of(bytes, at, length);
    HeaderName known = names[hash & (SLOTS - 1)];
    if (known != null && known.isSame(hash, bytes, at, length)) {
      return known;
    }
    HeaderName name = HeaderName.of(bytes, at, length);
    if (length <= MAX_BYTES) {
      names[hash & (SLOTS - 1)] = name;
    }
    return name;
  }

  HeaderField field(HeaderName name, byte[] bytes, int at, int length) {
    if (length > MAX_BYTES || name.text().length() > MAX_BYTES || name.isSecret()) {
      return HeaderField.copyOf(name, bytes, at, length, false);
    }
    int hash = HeaderField.hash(name, bytes, at, length);
    HeaderField known = fields[hash & (SLOTS - 1)];
    if (known != null && known.isSame(hash, name, bytes, at, length)) {
      return known;
    }
    byte[] copy = Arrays.copyOfRange(bytes, at, at + length);
    var field = new HeaderField(name, copy, hash, false);
    fields[hash & (SLOTS - 1)] = field;
    return field;
  }
}
