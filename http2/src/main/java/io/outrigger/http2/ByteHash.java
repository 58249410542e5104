package io.outrigger.http2;

import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Hashes bytes, eight at a time, for bounded caches and tables. A random seed per process makes the
 * hashes unpredictable. A peer can nevertheless construct inputs with equal hashes, which cause
 * nothing worse than cache misses.
 */
final class ByteHash {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long MULTIPLIER = 0x9e3779b97f4a7c15L; // 2^64 / golden ratio
  private static final long SEED = RandomSource.SYSTEM.nextLong(Long.MAX_VALUE, Purpose.HASH);

  private ByteHash() {}

  static int of(byte[] bytes, int at, int length) {
    long hash = SEED ^ length;
    int end = at + length;
    int i = at;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      hash = mixed(hash ^ (long) LONG.get(bytes, i));
    }
    long rest = 0;
    for (; i < end; i++) {
      rest = rest << Byte.SIZE | (bytes[i] & 0xff);
    }
    return (int) mixed(hash ^ rest);
  }

  /** Combines two hashes; the result depends on the order of the hashes. */
  static int of(int first, int second) {
    return (int) mixed(SEED ^ ((long) first << Integer.SIZE | (second & 0xffff_ffffL)));
  }

  private static long mixed(long value) {
    long product = value * MULTIPLIER;
    return product ^ (product >>> 32);
  }
}
