package io.outrigger.lb.subset;

import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Chooses a subset by rendezvous hashing (A68 "Subsetting algorithm"): every endpoint has its own
 * hash, and the endpoints with the lowest hashes are chosen. An endpoint that is added or removed
 * does not change the hashes of others, so it changes at most one of the other chosen endpoints.
 *
 * @param seed the seed of the hashes; different seeds give different orders
 */
record Ranking(long seed) {
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
   * Returns the {@code size} endpoints of {@code all} with the lowest hashes, in the order of their
   * hashes; if {@code all} has no more than {@code size} endpoints, returns {@code all} itself.
   */
  List<Backend> lowest(List<Backend> all, long size) {
    if (all.size() <= size) {
      return all;
    }
    return IntStream.range(0, all.size())
        .mapToObj(place -> ranked(all.get(place), place))
        .sorted(Ranked.LOWEST_FIRST)
        .limit(size)
        .map(Ranked::backend)
        .toList();
  }

  private Ranked ranked(Backend backend, int place) {
    return new Ranked(Xxh64.hash(backend.endpoint().address().toString(), seed), place, backend);
  }
}
