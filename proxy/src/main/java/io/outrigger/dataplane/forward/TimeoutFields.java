package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.route.GrpcTimeout;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.KnownName;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the {@code grpc-timeout} fields that one event loop sends. Most calls are forwarded as
 * soon as they arrive, so their remaining time equals their limit. There are few different limits,
 * so a field is created once and is found in the HPACK dynamic table.
 */
@LoopConfined
final class TimeoutFields {
  private static final int PLACES = 64;
  private static final int HASH = 0x9e3779b9; // 2^32 / golden ratio: limits are round numbers

  private final @Nullable HeaderField[] fields = new HeaderField[PLACES];
  private final long[] limits = new long[PLACES];

  /**
   * The field for a call whose whole time limit remains. The limit is in nanoseconds and positive.
   */
  HeaderField ofLimit(long nanos) {
    int place =
        (Long.hashCode(nanos) * HASH) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(PLACES));
    HeaderField field = fields[place];
    if (field == null || limits[place] != nanos) {
      field = of(nanos);
      fields[place] = field;
      limits[place] = nanos;
    }
    return field;
  }

  /** The field for a call with the given remaining time. */
  static HeaderField of(long nanos) {
    return HeaderField.of(KnownName.GRPC_TIMEOUT, GrpcTimeout.format(nanos));
  }
}
