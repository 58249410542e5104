package io.outrigger.lb.subset;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ListChange;
import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Chooses a subset by rendezvous hashing (A68 "Subsetting algorithm"): every endpoint has its own
 * hash, and the endpoints with the lowest hashes are chosen. An endpoint that is added or removed
 * does not change the hashes of others, so it changes at most one of the other chosen endpoints.
 * Hashes are reused while their endpoints stay in place.
 */
@ControlConfined
final class Ranking {
  private final long seed;
  private List<Backend> backends = List.of();

  /** The hashes of {@link #backends}, in the same order. */
  private long[] hashes = new long[0];

  /**
   * Creates a ranking without endpoints.
   *
   * @param seed the seed of the hashes; different seeds give different orders
   */
  Ranking(long seed) {
    this.seed = seed;
  }

  /** An endpoint with its hash and its index in the configuration. */
  record Ranked(long hash, int place, Backend backend) {
    private static final Comparator<Ranked> EQUALS =
        Comparator.comparing((Ranked ranked) -> ranked.backend.endpoint().address().toString())
            .thenComparingInt(Ranked::place);

    /**
     * Orders endpoints by hash, and endpoints with equal hashes by their addresses, regardless of
     * their indexes.
     */
    static final Comparator<Ranked> LOWEST_FIRST =
        (one, other) ->
            one.hash == other.hash
                ? EQUALS.compare(one, other)
                : Long.compareUnsigned(one.hash, other.hash);
  }

  /**
   * Returns the {@code size} endpoints of {@code next} with the lowest hashes, in the order of
   * their hashes; if {@code next} has no more than {@code size} endpoints, returns {@code next}
   * itself.
   */
  List<Backend> lowest(List<Backend> next, long size) {
    if (next.size() <= size) {
      backends = List.of();
      hashes = new long[0];
      return next;
    }
    take(next);
    var chosen = new PriorityQueue<Ranked>(Ranked.LOWEST_FIRST.reversed());
    for (int i = 0; i < hashes.length; i++) {
      if (chosen.size() < size || Long.compareUnsigned(hashes[i], chosen.peek().hash) <= 0) {
        chosen.add(new Ranked(hashes[i], i, backends.get(i)));
        if (chosen.size() > size) {
          chosen.remove();
        }
      }
    }
    return chosen.stream().sorted(Ranked.LOWEST_FIRST).map(Ranked::backend).toList();
  }

  /** Replaces the endpoints; unchanged endpoints at both ends of the list are not hashed again. */
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
