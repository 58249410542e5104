package io.outrigger.testing;

import io.outrigger.base.RandomSource;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;

/** Randomness under a test's control: scripted draws per purpose, and a seeded rest. */
public final class ScriptedRandom implements RandomSource {
  private final Map<Purpose, ArrayDeque<Long>> scripted = new EnumMap<>(Purpose.class);
  private final Random rest;

  public ScriptedRandom(long seed) {
    rest = new Random(seed);
  }

  /** The next draws for {@code purpose}, in this order. */
  public ScriptedRandom next(Purpose purpose, long... values) {
    var queue = scripted.computeIfAbsent(purpose, p -> new ArrayDeque<>());
    for (long value : values) {
      queue.add(value);
    }
    return this;
  }

  @Override
  public long nextLong(long bound, Purpose purpose) {
    var queue = scripted.get(purpose);
    Long value = queue == null ? null : queue.poll();
    if (value == null) {
      return rest.nextLong(bound);
    }
    if (value < 0 || value >= bound) {
      throw new AssertionError("scripted " + purpose + " draw " + value + " is not below " + bound);
    }
    return value;
  }
}
