package io.outrigger.config.route;

import io.outrigger.base.RandomSource;

/**
 * A share of requests, as {@code numerator} (unsigned 32 bit) divided by {@code denominator} (100,
 * 10 000 or 1 000 000). A numerator above the denominator means all requests.
 */
public record Fraction(long numerator, int denominator) {
  public Fraction {
    if (numerator < 0 || denominator <= 0) {
      throw new IllegalArgumentException(numerator + "/" + denominator);
    }
  }

  public boolean draw(RandomSource random, RandomSource.Purpose purpose) {
    return numerator >= denominator || random.nextLong(denominator, purpose) < numerator;
  }

  public double asDouble() {
    return Math.min(1.0, numerator / (double) denominator);
  }

  @Override
  public String toString() {
    return numerator + " in " + denominator;
  }
}
