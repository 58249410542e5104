package io.outrigger.lb.config;

import io.outrigger.config.endpoint.Locality;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The weights of localities in a policy that balances the endpoints of all of them (A113). The
 * weight of an endpoint in such a policy depends on every other endpoint. It is computed from these
 * where it is needed and not kept with the endpoint, so that an endpoint that stays is the same
 * object.
 *
 * @param weights unsigned 32 bit, at least 1; a locality that is not named weighs 1
 * @param whole the sum of the endpoint weights of each locality, where a policy has only a part of
 *     the endpoints; empty where it has all
 */
public record LocalityWeights(Map<Locality, Long> weights, Map<Locality, Long> whole) {
  /** All localities weigh the same. */
  public static final LocalityWeights EQUAL = new LocalityWeights(Map.of());

  /** 1 in the fixed-point form of A113, which has 31 bits behind the point. */
  private static final long ONE = 1L << 31;

  public LocalityWeights {
    weights = Map.copyOf(weights);
    whole = Map.copyOf(whole);
  }

  /** For a policy that has all endpoints. */
  public LocalityWeights(Map<Locality, Long> weights) {
    this(weights, Map.of());
  }

  /**
   * The same for a policy that has a part of {@code all}: endpoints keep the shares that they have
   * among all (A68 leaves them as they are).
   */
  public LocalityWeights amongAll(List<Backend> all) {
    return whole.isEmpty() ? new LocalityWeights(weights, sums(all)) : this;
  }

  /**
   * Shares of endpoints in all of which the weights, added up by locality, are {@code sums}.
   *
   * @param sums of at least one endpoint each
   */
  public Shares shares(Map<Locality, Long> sums) {
    return sharesIn(whole.isEmpty() ? sums : whole);
  }

  private Shares sharesIn(Map<Locality, Long> sums) {
    long all = sums.keySet().stream().mapToLong(this::weight).sum();
    Map<Locality, Part> parts = new HashMap<>();
    sums.forEach(
        (locality, sum) -> parts.put(locality, new Part(weight(locality) * ONE / all, sum)));
    return (locality, weight) ->
        Objects.requireNonNull(parts.get(locality), locality::toString).shareOf(weight);
  }

  /** A locality's share, and the sum of its endpoints' weights. */
  private record Part(long share, long sum) {
    /** A113 "Computing Endpoint Weights": the locality's share times the endpoint's share of it. */
    long shareOf(long weight) {
      return Math.max(1, share * (weight * ONE / sum) / ONE);
    }
  }

  private long weight(Locality locality) {
    return weights.getOrDefault(locality, 1L);
  }

  /** The weights of endpoints among all others. */
  public interface Shares {
    /** Only in proportion to others; at least 1. */
    long of(Locality locality, long weight);
  }

  /** The share of each endpoint in all, in the same order. */
  public long[] sharesOf(List<Backend> backends) {
    Shares shares = shares(sums(backends));
    return backends.stream()
        .mapToLong(backend -> shares.of(backend.locality(), backend.endpoint().weight()))
        .toArray();
  }

  private static Map<Locality, Long> sums(List<Backend> backends) {
    Map<Locality, Long> sums = new HashMap<>();
    backends.forEach(
        backend -> sums.merge(backend.locality(), backend.endpoint().weight(), Long::sum));
    return sums;
  }
}
