package io.outrigger.lb;

import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.EndpointAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ObjDoubleConsumer;

/**
 * The results that a picker may give to a call, with their probabilities. Making a plan counts,
 * connects and chooses nothing. Immutable; any thread.
 */
public sealed interface PickPlan {
  /** Gives {@code reader} each result with its probability times {@code share}. */
  void forEachResult(double share, ObjDoubleConsumer<PickResult> reader);

  /**
   * Why an endpoint that is READY may be none of the results, for people; empty where the plan
   * leaves none of them out.
   */
  default Optional<String> whyNotOthers() {
    return Optional.empty();
  }

  /** All results; their probabilities sum up to 1, less for what is unknown. */
  default List<Odds> odds() {
    List<Odds> odds = new ArrayList<>();
    forEachResult(1, (result, probability) -> odds.add(new Odds(probability, result)));
    return odds;
  }

  /** A result and how likely it is. */
  record Odds(double probability, PickResult result) {}

  /** The plan of a picker that makes none. */
  record Unknown() implements PickPlan {
    @Override
    public void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {}
  }

  /** Always the same result. */
  record Certain(PickResult result) implements PickPlan {
    @Override
    public void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {
      reader.accept(result, share);
    }

    @Override
    public Optional<String> whyNotOthers() {
      return result instanceof PickResult.Use
          ? Optional.of("another endpoint gets every call")
          : Optional.empty();
    }
  }

  /**
   * One of several that are equally likely: of ten thousand endpoints, without an object for each.
   *
   * @param by what decides, for people
   */
  record Equal(String by, List<PickResult> results) implements PickPlan {
    public Equal {
      results = List.copyOf(results);
    }

    @Override
    public void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {
      results.forEach(result -> reader.accept(result, share / results.size()));
    }
  }

  /**
   * One of several, each with its probability; which one is not known before the pick.
   *
   * @param by what decides, for people
   */
  record Shared(String by, List<Share> shares) implements PickPlan {
    public Shared {
      shares = List.copyOf(shares);
    }

    @Override
    public void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {
      shares.forEach(part -> part.plan().forEachResult(share * part.probability(), reader));
    }

    /** The reason of the first part that has one: all parts are of one kind. */
    @Override
    public Optional<String> whyNotOthers() {
      return shares.stream().flatMap(part -> part.plan().whyNotOthers().stream()).findFirst();
    }
  }

  /** A part of {@link Shared}. */
  record Share(double probability, PickPlan plan) {}

  /** Each category is drawn by itself; a call that no category drops goes on (A27). */
  record Dropping(List<Drop> drops, PickPlan rest) implements PickPlan {
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
      rest.forEachResult(left, reader);
    }

    @Override
    public Optional<String> whyNotOthers() {
      return rest.whyNotOthers();
    }
  }

  /** A category of {@link Dropping} and the result of a dropped call. */
  record Drop(DropCategory category, PickResult result) {}

  /**
   * A limit of calls in flight (A32): at the limit, a call that has its endpoint is refused.
   *
   * @param full the result at the limit
   */
  record Limited(long inFlight, long limit, PickResult full, PickPlan rest) implements PickPlan {
    /** Whether the limit is reached at this moment. */
    public boolean isFull() {
      return inFlight >= limit;
    }

    @Override
    public void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {
      boolean isFull = isFull();
      rest.forEachResult(
          share,
          (result, probability) ->
              reader.accept(
                  isFull && result instanceof PickResult.Use ? full : result, probability));
    }

    @Override
    public Optional<String> whyNotOthers() {
      return rest.whyNotOthers();
    }
  }

  /** The result of looking up a session's endpoints. */
  enum OverrideOutcome {
    /** The call goes to one of the endpoints, or waits for one. */
    KEPT,
    /** No endpoint of the session can be used: the balancer picks. */
    LOST,
    /** The address map is made for the first session; the call waits for it. */
    NOT_LOOKED_UP
  }

  /**
   * The endpoints that a session prefers, and which of them the call gets (A75).
   *
   * @param candidates in the session's order; none for a session that begins
   * @param outcome whether the call goes to one of them
   */
  record Preferring(List<OverrideCandidate> candidates, OverrideOutcome outcome, PickPlan rest)
      implements PickPlan {
    public Preferring {
      candidates = List.copyOf(candidates);
    }

    @Override
    public void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {
      rest.forEachResult(share, reader);
    }

    @Override
    public Optional<String> whyNotOthers() {
      return switch (outcome) {
        case KEPT -> Optional.of("the session stays with another endpoint");
        case LOST -> rest.whyNotOthers();
        case NOT_LOOKED_UP ->
            candidates.isEmpty()
                ? rest.whyNotOthers()
                : Optional.of("the endpoint that the session names is being looked up");
      };
    }
  }

  /**
   * An address that a session prefers.
   *
   * @param standing how it stands, for people
   */
  record OverrideCandidate(EndpointAddress address, String standing) {}

  /**
   * A place on a ring (A42).
   *
   * @param hash what is looked up; empty when each request gets another
   * @param source where the hash comes from, for people
   * @param place the entry that the hash falls to; -1 without a hash
   * @param size entries of the ring
   * @param passed how many entries of endpoints that failed are passed over from there
   */
  record Hashed(OptionalLong hash, String source, int place, int size, int passed, PickPlan rest)
      implements PickPlan {
    @Override
    public void forEachResult(double share, ObjDoubleConsumer<PickResult> reader) {
      rest.forEachResult(share, reader);
    }

    @Override
    public Optional<String> whyNotOthers() {
      return Optional.of("the hash falls to another endpoint");
    }
  }
}
