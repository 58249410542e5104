package io.outrigger.xds;

import java.util.Arrays;
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

  @Override
  public int hashCode() {
    return 31 * typeUrl.hashCode() + Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return typeUrl + " (" + bytes.length + " bytes)";
  }
}
