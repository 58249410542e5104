package io.outrigger.xds;

import io.outrigger.base.AnyThread;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A received resource in serialized form. The class does not use protobuf, so that caches and views
 * do not depend on protobuf.
 */
@AnyThread
public final class RawResource {
  private final String typeUrl;
  private final byte[] bytes;

  /** Creates a resource that takes ownership of {@code bytes}. */
  public RawResource(String typeUrl, byte[] bytes) {
    this.typeUrl = typeUrl;
    this.bytes = bytes;
  }

  public String typeUrl() {
    return typeUrl;
  }

  /** Returns the serialized message, which the caller must not modify. */
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
    return 31 * typeUrl.hashCode() + Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return typeUrl + " (" + bytes.length + " bytes)";
  }
}
