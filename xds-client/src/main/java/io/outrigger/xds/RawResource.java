package io.outrigger.xds;

import io.outrigger.base.AnyThread;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A resource as it came, for dumps: the type URL and the bytes of its Any, not interpreted. Kept
 * apart from protobuf so that caches and views need none. Equal when type and bytes are.
 */
@AnyThread
public final class RawResource {
  private final String typeUrl;
  private final byte[] bytes;
  private int hash; // 0 until computed; a race computes the same value twice

  /** Takes ownership of {@code bytes}. */
  public RawResource(String typeUrl, byte[] bytes) {
    this.typeUrl = typeUrl;
    this.bytes = bytes;
  }

  public String typeUrl() {
    return typeUrl;
  }

  /** The serialized message; do not modify. */
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RawResource that
        && typeUrl.equals(that.typeUrl)
        && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    int known = hash;
    if (known == 0) {
      known = 31 * typeUrl.hashCode() + Arrays.hashCode(bytes);
      hash = known;
    }
    return known;
  }

  @Override
  public String toString() {
    return typeUrl + " (" + bytes.length + " bytes)";
  }
}
