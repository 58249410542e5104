package io.outrigger.xds;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
  private static final Set<Reference<RawResource>> HELD = ConcurrentHashMap.newKeySet();
  private static final ReferenceQueue<RawResource> COLLECTED = new ReferenceQueue<>();

  /** Creates a resource that {@link #heldBytes} counts until a garbage collection removes it. */
  public static RawResource held(String typeUrl, byte[] bytes) {
    var resource = new RawResource(typeUrl, bytes);
    HELD.add(new WeakReference<>(resource, COLLECTED));
    for (var gone = COLLECTED.poll(); gone != null; gone = COLLECTED.poll()) {
      HELD.remove(gone);
    }
    return resource;
  }

  /** Returns the bytes of all resources that are in use, refused, or being decoded. */
  public static long heldBytes() {
    return HELD.stream()
        .map(Reference::get)
        .filter(Objects::nonNull)
        .mapToLong(each -> each.bytes.length)
        .sum();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RawResource that
        && typeUrl.equals(that.typeUrl)
        && Arrays.equals(bytes, that.bytes);
  }

  /** Uses CRC-32, because even the JVM's interpreter and C1 have machine code for this hash. */
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
