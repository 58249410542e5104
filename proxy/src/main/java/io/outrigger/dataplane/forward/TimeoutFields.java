package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.route.GrpcTimeout;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.KnownName;
import org.jspecify.annotations.Nullable;

/**
 * The {@code grpc-timeout} fields that one loop sends. Most calls go on in the moment they come, so
 * what they have left is their limit, and limits are few: the field is made once, and HPACK knows
 * it.
 */
@LoopConfined
final class TimeoutFields {
  private static final int PLACES = 64;
  private static final int HASH = 0x9e3779b9; // 2^32 / golden ratio: limits are round numbers

  private final @Nullable HeaderField[] fields = new HeaderField[PLACES];
  private final long[] limits = new long[PLACES];

  /** For a call that has all of its limit left, in positive nanoseconds. */
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

  /** For a call that has spent some of its limit. */
  static HeaderField of(long nanos) {
    return HeaderField.of(KnownName.GRPC_TIMEOUT, GrpcTimeout.format(nanos));
  }
}
