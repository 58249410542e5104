package io.outrigger.lb.subset;

import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses a subset by rendezvous hashing (A68 "Subsetting algorithm"). Every endpoint is hashed,
 * and the endpoints with the lowest hashes are chosen. The hash of an endpoint does not depend on
 * other endpoints, so an added or removed endpoint changes at most one other member of the subset.
 *
 * @param seed the seed of the hashes; different seeds give different orders
 */
record Ranking(long seed) {
  record Ranked(long hash, Backend backend) {
    /** Orders endpoints by hash, and endpoints with equal hashes by their addresses. */
    static final Comparator<Ranked> LOWEST_FIRST =
        ((Comparator<Ranked>) (one, other) -> Long.compareUnsigned(one.hash, other.hash))
            .thenComparing(ranked -> ranked.backend.endpoint().address().toString());
  }

  /**
   * Returns the endpoints with the lowest hashes, in the order of their hashes. Returns the given
   * list itself if it has no more than {@code size} endpoints.
   */
  List<Backend> lowest(List<Backend> all, long size) {
    return all.size() <= size
        ? all
        : all.stream()
            .map(this::ranked)
            .sorted(Ranked.LOWEST_FIRST)
            .limit(size)
            .map(Ranked::backend)
            .toList();
  }

  private Ranked ranked(Backend backend) {
    return new Ranked(Xxh64.hash(backend.endpoint().address().toString(), seed), backend);
  }
}
