package io.outrigger.lb.subset;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ListChange;
import io.outrigger.base.Xxh64;
import io.outrigger.lb.Backend;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Rendezvous hashing (A68 "Subsetting algorithm"): every endpoint has a hash of its own, and the
 * lowest are chosen. One that comes or goes moves none of the others, so it changes one of those
 * chosen at most. Hashes are kept while their endpoints stay in place.
 */
@ControlConfined
final class Ranking {
  private final long seed;
  private List<Backend> backends = List.of();

  /** Of {@link #backends}, in their order. */
  private long[] hashes = new long[0];

  /**
   * A ranking of no endpoints.
   *
   * @param seed another one gives another order
   */
  Ranking(long seed) {
    this.seed = seed;
  }

  /** An endpoint with its hash and its place in the configuration. */
  record Ranked(long hash, int place, Backend backend) {
    /** Those of equal hashes in the order of their addresses, wherever they stand. */
    static final Comparator<Ranked> LOWEST_FIRST =
        ((Comparator<Ranked>) (one, other) -> Long.compareUnsigned(one.hash, other.hash))
            .thenComparing(ranked -> ranked.backend.endpoint().address().toString())
            .thenComparingInt(Ranked::place);
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
    var highestFirst = new PriorityQueue<Ranked>(Collections.reverseOrder(Ranked.LOWEST_FIRST));
    for (int i = 0; i < hashes.length; i++) {
      if (highestFirst.size() < size) {
        highestFirst.add(new Ranked(hashes[i], i, next.get(i)));
      } else if (Long.compareUnsigned(hashes[i], highestFirst.element().hash) <= 0) {
        highestFirst.add(new Ranked(hashes[i], i, next.get(i)));
        highestFirst.remove();
      }
    }
    List<Ranked> chosen = new ArrayList<>(highestFirst);
    chosen.sort(Ranked.LOWEST_FIRST);
    return chosen.stream().map(Ranked::backend).toList();
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
