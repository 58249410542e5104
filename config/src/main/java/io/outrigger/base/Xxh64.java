package io.outrigger.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** The XXH64 hash, with seed 0 (A42) or a given seed (A68). */
public final class Xxh64 {
  private static final long P1 = 0x9E3779B185EBCA87L;
  private static final long P2 = 0xC2B2AE3D27D4EB4FL;
  private static final long P3 = 0x165667B19E3779F9L;
  private static final long P4 = 0x85EBCA77C2B2AE63L;
  private static final long P5 = 0x27D4EB2F165667C5L;

  private static final long SUM = 0x60EA27EEADC0B5D6L;

  /** The number of bytes that the four lanes consume per round. */
  private static final int STRIPE = 32;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private Xxh64() {}

  public static long hash(String text) {
    return hash(text.getBytes(StandardCharsets.UTF_8));
  }

  public static long hash(String text, long seed) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return hash(bytes, bytes.length, seed);
  }

  /** Returns the hash of the eight bytes of {@code value} in little-endian order. */
  public static long hash(long value) {
    return avalanche(withLong(P5 + Long.BYTES, value));
  }

  public static long hash(byte[] bytes) {
    return hash(bytes, bytes.length);
  }

  public static long hash(byte[] bytes, int length) {
    return hash(bytes, length, 0);
  }

  private static long hash(byte[] bytes, int length, long seed) {
    int at = 0;
    long hash = seed + P5;
    if (length >= STRIPE) {
      long a = seed + SUM;
      long b = seed + P2;
      long c = seed;
      long d = seed - P1;
      for (; at <= length - STRIPE; at += STRIPE) {
        a = round(a, (long) LONGS.get(bytes, at));
        b = round(b, (long) LONGS.get(bytes, at + 8));
        c = round(c, (long) LONGS.get(bytes, at + 16));
        d = round(d, (long) LONGS.get(bytes, at + 24));
      }
      hash =
          Long.rotateLeft(a, 1)
              + Long.rotateLeft(b, 7)
              + Long.rotateLeft(c, 12)
              + Long.rotateLeft(d, 18);
      hash = merge(merge(merge(merge(hash, a), b), c), d);
    }
    hash += length;
    for (; at <= length - Long.BYTES; at += Long.BYTES) {
      hash = withLong(hash, (long) LONGS.get(bytes, at));
    }
    if (at <= length - Integer.BYTES) {
      long value = (int) INTS.get(bytes, at) & 0xFFFF_FFFFL;
      hash = Long.rotateLeft(hash ^ (value * P1), 23) * P2 + P3;
      at += Integer.BYTES;
    }
    for (; at < length; at++) {
      hash = Long.rotateLeft(hash ^ ((bytes[at] & 0xFF) * P5), 11) * P1;
    }
    return avalanche(hash);
  }

  private static long round(long lane, long value) {
    return Long.rotateLeft(lane + value * P2, 31) * P1;
  }

  private static long merge(long hash, long lane) {
    return (hash ^ round(0, lane)) * P1 + P4;
  }

  private static long withLong(long hash, long value) {
    return Long.rotateLeft(hash ^ round(0, value), 27) * P1 + P4;
  }

  private static long avalanche(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * P2;
    mixed = (mixed ^ (mixed >>> 29)) * P3;
    return mixed ^ (mixed >>> 32);
  }
}
