package io.outrigger.lb.subset;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ListChange;
import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Rendezvous hashing (A68 "Subsetting algorithm"): every endpoint has a hash of its own, and the
 * lowest are chosen. One that comes or goes moves none of the others, so it changes one of those
 * chosen at most. Hashes are kept while their endpoints stay in place.
 */
@ControlConfined
final class Ranking {
  private static final long HIGHEST = -1; // unsigned

  private final long seed;
  private List<Backend> backends = List.of();

  /** Of {@link #backends}, in their order. */
  private long[] hashes = new long[0];

  /**
   * A ranking of no endpoints.
   *
   * @param seed different seeds give different orders
   */
  Ranking(long seed) {
    this.seed = seed;
  }

  /** An endpoint with its hash and its place in the configuration. */
  record Ranked(long hash, int place, Backend backend) {
    private static final Comparator<Ranked> EQUALS =
        Comparator.comparing((Ranked ranked) -> ranked.backend.endpoint().address().toString())
            .thenComparingInt(Ranked::place);

    /** Those of equal hashes in the order of their addresses, wherever they stand. */
    static final Comparator<Ranked> LOWEST_FIRST =
        (one, other) ->
            one.hash == other.hash
                ? EQUALS.compare(one, other)
                : Long.compareUnsigned(one.hash, other.hash);
  }

  /**
   * The {@code size} of {@code next} with the lowest hashes, in the order of these; {@code next}
   * itself where there are no more.
   */
  List<Backend> lowest(List<Backend> next, long size) {
    if (next.size() <= size) {
      backends = List.of();
      hashes = new long[0];
      return next;
    }
    take(next);
    List<Ranked> candidates = notAbove(likelyHighest(size, hashes.length));
    if (candidates.size() < size) {
      candidates = notAbove(HIGHEST);
    }
    candidates.sort(Ranked.LOWEST_FIRST);
    return candidates.stream().limit(size).map(Ranked::backend).toList();
  }

  /**
   * A hash that {@code size} of {@code endpoints} are below, almost surely: hashes are even, and
   * four deviations are added to the share that is wanted. It is never too high by much, so few are
   * sorted.
   */
  static long likelyHighest(long size, int endpoints) {
    double share = (size + 4 * Math.sqrt(size) + 16) / endpoints;
    return share >= 1 ? HIGHEST : (long) (share * 0x1p63) << 1;
  }

  private List<Ranked> notAbove(long highest) {
    List<Ranked> found = new ArrayList<>();
    for (int i = 0; i < hashes.length; i++) {
      if (Long.compareUnsigned(hashes[i], highest) <= 0) {
        found.add(new Ranked(hashes[i], i, backends.get(i)));
      }
    }
    return found;
  }

  /** Takes other endpoints; those at both ends that stay are not hashed again. */
  private void take(List<Backend> next) {
    ListChange<Backend> change = ListChange.between(backends, next);
    long[] known = hashes;
    hashes = new long[next.size()];
    System.arraycopy(known, 0, hashes, 0, change.head());
    int at = change.head();
    for (Backend added : change.added()) {
      hashes[at++] = Xxh64.hash(added.endpoint().address().toString(), seed);
    }
    System.arraycopy(known, known.length - change.tail(), hashes, at, change.tail());
    backends = next;
  }
}
