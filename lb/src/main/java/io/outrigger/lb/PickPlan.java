package io.outrigger.lb;

import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.EndpointAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntToDoubleFunction;
import java.util.function.ObjDoubleConsumer;
import java.util.stream.IntStream;

/**
 * The results that a picker may give to a call, with their probabilities. Making a plan has no side
 * effects: no call is counted, no connection is requested, no endpoint is chosen. Plans are
 * immutable and may be used on any thread.
 */
public sealed interface PickPlan {
  /** Calls {@code reader} with each result and the result's probability times {@code share}. */
  void forEachResult(double share, ObjDoubleConsumer<PickResult> reader);

  /**
   * Returns a text for people that explains why the plan excludes READY endpoints; empty if every
   * READY endpoint may be picked.
   */
  default Optional<String> exclusionReason() {
    return Optional.empty();
  }

  /** A plan that changes or explains the results of its {@link #inner} plan. */
  sealed interface Wrapping extends PickPlan {
    PickPlan inner();

    @Override
    default void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {
      inner().forEachResult(share, reader);
    }

    @Override
    default Optional<String> exclusionReason() {
      return inner().exclusionReason();
    }
  }

  record Certain(PickResult result) implements PickPlan {
    @Override
    public void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {
      reader.accept(result, share);
    }

    @Override
    public Optional<String> exclusionReason() {
      return result instanceof PickResult.Use
          ? Optional.of("another endpoint gets every call")
          : Optional.empty();
    }
  }

  /** The pick chooses one of several plans at random, each with its own probability. */
  record Shared(List<Share> shares) implements PickPlan {
    public Shared {
      shares = List.copyOf(shares);
    }

    /** Returns a plan that gives {@code results[i]} with the probability {@code share(i)}. */
    public static Shared of(PickResult[] results, IntToDoubleFunction share) {
      return new Shared(
          IntStream.range(0, results.length)
              .mapToObj(i -> new Share(share.applyAsDouble(i), new Certain(results[i])))
              .toList());
    }

    @Override
    public void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {
      shares.forEach(part -> part.plan().forEachResult(share * part.probability(), reader));
    }

    /** Returns the reason of the first plan that gives a reason for excluding READY endpoints. */
    @Override
    public Optional<String> exclusionReason() {
      if (shares.stream().filter(Share::isUse).count() > 1) {
        return Optional.empty(); // no endpoint gets every call
      }
      return shares.stream().flatMap(part -> part.plan().exclusionReason().stream()).findFirst();
    }
  }

  record Share(double probability, PickPlan plan) {
    private boolean isUse() {
      return plan instanceof Certain only && only.result() instanceof PickResult.Use;
    }
  }

  /**
   * The pick makes one random draw for each drop category. A call that no category drops continues
   * with the inner plan (A27).
   */
  record Dropping(List<Drop> drops, PickPlan inner) implements Wrapping {
    public Dropping {
      drops = List.copyOf(drops);
    }

    @Override
    public void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {
      double left = share;
      for (Drop drop : drops) {
        double dropped = left * drop.category().share().asDouble();
        if (dropped > 0) {
          reader.accept(drop.result(), dropped);
        }
        left -= dropped;
      }
      inner.forEachResult(left, reader);
    }
  }

  record Drop(DropCategory category, PickResult result) {}

  /**
   * Limits the calls in flight (A32). At the limit, a call is refused after its endpoint was
   * picked.
   *
   * @param full the pick result when the number of calls in flight has reached {@code limit}
   */
  record Limited(long inFlight, long limit, PickResult full, PickPlan inner) implements Wrapping {
    public boolean isFull() {
      return inFlight >= limit;
    }

    @Override
    public void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {
      boolean isFull = isFull();
      inner.forEachResult(
          share,
          (result, probability) ->
              reader.accept(
                  isFull && result instanceof PickResult.Use ? full : result, probability));
    }
  }

  enum OverrideOutcome {
    /** The call goes to one of the session's endpoints, or waits for one of them. */
    KEPT,
    /** No endpoint of the session can be used, so the pick ignores the session. */
    LOST,
    /** The first call of a session waits until the cluster's address map is filled. */
    NOT_LOOKED_UP
  }

  /**
   * Prefers the endpoints that a session used before (A75).
   *
   * @param candidates the preferred endpoints in the session's order; empty for a new session
   */
  record Preferring(List<OverrideCandidate> candidates, OverrideOutcome outcome, PickPlan inner)
      implements Wrapping {
    public Preferring {
      candidates = List.copyOf(candidates);
    }

    @Override
    public Optional<String> exclusionReason() {
      return switch (outcome) {
        case KEPT -> Optional.of("the session stays with another endpoint");
        case LOST -> inner.exclusionReason();
        case NOT_LOOKED_UP ->
            candidates.isEmpty()
                ? inner.exclusionReason()
                : Optional.of("the endpoint that the session names is being looked up");
      };
    }
  }

  /**
   * An address that a session prefers, and its current state.
   *
   * @param standing a text for people that describes the state of the address
   */
  record OverrideCandidate(EndpointAddress address, String standing) {}

  /**
   * Explains a pick by the position of the request's hash on a hash ring (A42).
   *
   * @param hash the hash of the request; empty when each request gets a different hash
   * @param source the origin of the hash, as a text for people
   * @param ringIndex the index of the hash's entry on the ring; -1 without a hash
   * @param skipped the number of ring entries that the pick skips due to failed endpoints
   */
  record Hashed(
      OptionalLong hash, String source, int ringIndex, int ringSize, int skipped, PickPlan inner)
      implements Wrapping {
    @Override
    public Optional<String> exclusionReason() {
      return Optional.of("the hash falls to another endpoint");
    }
  }
}
