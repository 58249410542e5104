package io.outrigger.lb;

import io.outrigger.config.endpoint.Locality;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * What localities weigh beside each other in a policy that balances the endpoints of all of them
 * (A113). What an endpoint weighs in such a policy depends on every other endpoint, so it is made
 * of these where it is needed and not kept with the endpoint: one that stays is the same object.
 *
 * @param weights unsigned 32 bit, at least 1; a locality that is not named weighs 1
 */
public record LocalityWeights(Map<Locality, Long> weights) {
  /** All localities weigh the same. */
  public static final LocalityWeights EQUAL = new LocalityWeights(Map.of());

  /** 1 in the fixed-point form of A113, which has 31 bits behind the point. */
  private static final long ONE = 1L << 31;

  public LocalityWeights {
    weights = Map.copyOf(weights);
  }

  /** The endpoints of one locality. */
  private static final class Part {
    private final long weight;
    private long sum;
    private long share;

    /** The share of the last endpoint's weight: the next one often weighs the same. */
    private long knownWeight;

    private long knownShare;

    Part(long weight) {
      this.weight = weight;
    }

    /** A113 "Computing Endpoint Weights": the locality's share times the endpoint's share of it. */
    long shareOf(long endpointWeight) {
      if (endpointWeight != knownWeight) {
        knownWeight = endpointWeight;
        knownShare = Math.max(1, share * (endpointWeight * ONE / sum) / ONE);
      }
      return knownShare;
    }
  }

  /**
   * The share of each endpoint in all; only in proportion to others, at least 1.
   *
   * @param endpoints best with those of a locality side by side
   * @param weightOf among the endpoints of its locality
   * @return in the same order
   */
  public <T> long[] sharesOf(
      List<T> endpoints,
      Function<? super T, Locality> localityOf,
      ToLongFunction<? super T> weightOf) {
    Map<Locality, Part> parts = new HashMap<>();
    Part[] partOf = new Part[endpoints.size()];
    long[] shares = new long[partOf.length];
    Locality last = null;
    Part part = null;
    for (int i = 0; i < partOf.length; i++) {
      T endpoint = endpoints.get(i);
      Locality locality = localityOf.apply(endpoint);
      if (part == null || !locality.equals(last)) {
        last = locality;
        part = parts.computeIfAbsent(last, name -> new Part(weights.getOrDefault(name, 1L)));
      }
      shares[i] = weightOf.applyAsLong(endpoint);
      part.sum += shares[i];
      partOf[i] = part;
    }
    long all = parts.values().stream().mapToLong(each -> each.weight).sum();
    parts.values().forEach(each -> each.share = each.weight * ONE / all);
    for (int i = 0; i < shares.length; i++) {
      shares[i] = partOf[i].shareOf(shares[i]);
    }
    return shares;
  }

  /** The same of endpoints as the control plane has them. */
  public long[] sharesOf(List<Backend> backends) {
    return sharesOf(backends, Backend::locality, backend -> backend.endpoint().weight());
  }
}
