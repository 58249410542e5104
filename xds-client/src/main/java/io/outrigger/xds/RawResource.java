package io.outrigger.xds;

import java.util.Arrays;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * A received resource in serialized form. The class does not use protobuf, so that caches and
 * status views do not depend on protobuf.
 *
 * @param bytes the serialized message, which must not be modified
 */
@SuppressWarnings("ArrayRecordComponent") // equals and hashCode compare the bytes
public record RawResource(String typeUrl, byte[] bytes) {
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RawResource that
        && typeUrl.equals(that.typeUrl)
        && Arrays.equals(bytes, that.bytes);
  }

  /** Uses a CRC, because the interpreter and C1 have machine code for it, and none for a hash. */
  @Override
  public int hashCode() {
    var crc = new CRC32();
    crc.update(bytes);
    return 31 * typeUrl.hashCode() + (int) crc.getValue();
  }

  @Override
  public String toString() {
    return typeUrl + " (" + bytes.length + " bytes)";
  }
}
