package io.outrigger.lb.config;

import io.outrigger.config.endpoint.Locality;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The weights of localities in a policy that balances the endpoints of all localities (A113). Under
 * A113, the weight of an endpoint depends on all other endpoints. The weight is computed on demand:
 * if each endpoint stored its weight, a change of one endpoint would replace all endpoints.
 *
 * @param weights unsigned 32-bit numbers, at least 1; a locality without an entry has weight 1
 * @param totals the sum of the weights of all endpoints in each locality, including endpoints
 *     outside the policy's subset; empty for a policy without a subset
 */
public record LocalityWeights(Map<Locality, Long> weights, Map<Locality, Long> totals) {
  public static final LocalityWeights EQUAL = new LocalityWeights(Map.of());

  /** The number 1 in the fixed-point format of A113, which has 31 fractional bits. */
  private static final long ONE = 1L << 31;

  public LocalityWeights {
    weights = Map.copyOf(weights);
    totals = Map.copyOf(totals);
  }

  public LocalityWeights(Map<Locality, Long> weights) {
    this(weights, Map.of());
  }

  /**
   * Returns the weights for a policy that has only a subset of all endpoints. The shares of the
   * endpoints are computed as if the policy had all endpoints (A68).
   */
  public LocalityWeights amongAll(List<Backend> all) {
    return totals.isEmpty() ? new LocalityWeights(weights, sums(all)) : this;
  }

  /**
   * Returns the share of each given backend among all endpoints, in the order of the argument.
   * Shares have no unit: only their ratios matter. Each share is at least 1.
   */
  public long[] sharesOf(List<Backend> backends) {
    Map<Locality, Long> sums = totals.isEmpty() ? sums(backends) : totals;
    long all = sums.keySet().stream().mapToLong(this::weight).sum();
    Map<Locality, Part> parts = new HashMap<>();
    sums.forEach(
        (locality, sum) -> parts.put(locality, new Part(weight(locality) * ONE / all, sum)));
    return backends.stream()
        .mapToLong(
            backend ->
                Objects.requireNonNull(parts.get(backend.locality()))
                    .shareOf(backend.endpoint().weight()))
        .toArray();
  }

  private record Part(long share, long sum) {
    /** Implements A113 "Computing Endpoint Weights". */
    long shareOf(long weight) {
      return Math.max(1, share * (weight * ONE / sum) / ONE);
    }
  }

  private long weight(Locality locality) {
    return weights.getOrDefault(locality, 1L);
  }

  private static Map<Locality, Long> sums(List<Backend> backends) {
    Map<Locality, Long> sums = new HashMap<>();
    backends.forEach(
        backend -> sums.merge(backend.locality(), backend.endpoint().weight(), Long::sum));
    return sums;
  }
}
