package io.outrigger.xds;

import io.outrigger.base.AnyThread;

/**
 * A resource as it came, for dumps: the type URL and the bytes of its Any, not interpreted. Kept
 * apart from protobuf so that caches and views need none.
 */
@AnyThread
public final class RawResource {
  private final String typeUrl;
  private final byte[] bytes;

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
}
