package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.member.EndpointPolicy;
import io.outrigger.lb.state.Connectivity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Picks the endpoint to which the request's hash falls (A42). A connection is made when a request
 * needs it.
 *
 * <pre>
 * READY              any endpoint is READY
 * TRANSIENT_FAILURE  else, two or more have failed
 * CONNECTING         else, any is CONNECTING
 * CONNECTING         else, one has failed and it is not the only one
 * IDLE               else, any is IDLE
 * TRANSIENT_FAILURE  else
 * </pre>
 *
 * <p>In states CONNECTING and TRANSIENT_FAILURE a priority policy above may send no requests to
 * this policy, so this policy always keeps one endpoint connecting (A61 "Ring Hash"), starting at a
 * random place (A117); failed endpoints retry by themselves.
 */
@ControlConfined
public final class RingHashPolicy extends EndpointPolicy<BalancingPolicy.RingHash, PlacedEndpoint> {
  /** The members in the order of their keys; a member's number on the ring is its index. */
  private List<PlacedEndpoint> members = List.of();

  /** The configuration from which {@link #ring} was built; its note is added to failures. */
  private LbConfig.Leaf<BalancingPolicy.RingHash> applied;

  /** The current ring; null while the policy has no endpoints. */
  private @Nullable Ring ring;

  public RingHashPolicy(
      LbContext context, LbConfig.Leaf<BalancingPolicy.RingHash> config, LbParent parent) {
    super(context, config, parent);
    this.applied = config;
  }

  @Override
  protected PlacedEndpoint newMember(Backend backend) {
    return new PlacedEndpoint(context().control(), parent(), backend);
  }

  @Override
  protected void onUpdate(Change<PlacedEndpoint> change) {
    boolean isSame =
        change.added().isEmpty() && change.kept().isEmpty() && change.removed().isEmpty();
    if (!isSame) {
      change.kept().forEach(PlacedEndpoint::move);
      List<PlacedEndpoint> next =
          new ArrayList<>(members); // quick, because the list is almost sorted already
      if (!change.removed().isEmpty()) {
        next.removeAll(Set.copyOf(change.removed()));
      }
      next.addAll(change.added());
      next.sort((one, other) -> one.slot().compareTo(other.slot()));
      members = List.copyOf(next);
    }
    (note().equals(applied.note()) ? change.added() : members).forEach(this::note);
    if (!isSame || !isMadeFor(config())) {
      ring = members.isEmpty() ? null : newRing();
    }
    applied = config();
  }

  private boolean isMadeFor(LbConfig.Leaf<BalancingPolicy.RingHash> config) {
    return config.settings().equals(applied.settings())
        && config.weights().equals(applied.weights());
  }

  private Ring newRing() {
    var settings = settings();
    long[] shares =
        config().weights().sharesOf(members.stream().map(PlacedEndpoint::backend).toList());
    return Ring.of(
        members.stream().map(PlacedEndpoint::slot).toList(),
        shares,
        settings.minSize(),
        settings.maxSize());
  }

  @Nullable Ring ring() {
    return ring;
  }

  @Override
  protected void onMemberChange(PlacedEndpoint member) {
    note(member);
  }

  private void note(PlacedEndpoint member) {
    member.result(
        switch (member.state()) {
          case READY -> member.use();
          case TRANSIENT_FAILURE ->
              new PickResult.Fail(
                  note()
                      .unavailable("no endpoint can be reached; last error: " + member.failure()));
          case IDLE, CONNECTING -> null;
        });
  }

  @Override
  protected void publish() {
    Ring current = ring;
    if (current == null) {
      publishFailure();
      return;
    }
    Connectivity aggregated = aggregated();
    if (aggregated == Connectivity.CONNECTING || aggregated == Connectivity.TRANSIENT_FAILURE) {
      keepConnecting(current);
    }
    publish(aggregated, picker(current));
  }

  private Connectivity aggregated() {
    if (count(Connectivity.READY) > 0) {
      return Connectivity.READY;
    }
    int failed = count(Connectivity.TRANSIENT_FAILURE);
    if (failed >= 2) {
      return Connectivity.TRANSIENT_FAILURE;
    }
    if (count(Connectivity.CONNECTING) > 0 || (failed == 1 && members.size() > 1)) {
      return Connectivity.CONNECTING;
    }
    return failed == 0 ? Connectivity.IDLE : Connectivity.TRANSIENT_FAILURE;
  }

  /**
   * Starts at a random place of the ring, so that many clients with the same failed endpoints do
   * not all connect to the same endpoint (A117).
   */
  private void keepConnecting(Ring current) {
    if (count(Connectivity.CONNECTING) > 0 || count(Connectivity.IDLE) == 0) {
      return;
    }
    int first = (int) context().random().nextLong(current.size(), Purpose.START_INDEX);
    int place = first;
    do {
      PlacedEndpoint member = members.get(current.memberAt(place));
      if (member.state() == Connectivity.IDLE) {
        member.connect();
        return;
      }
      place = current.next(place);
    } while (place != first);
  }

  private RingHashPicker picker(Ring current) {
    List<PlacedEndpoint> byNumber = members; // the picker keeps this list after an update
    var states = new Connectivity[byNumber.size()];
    var results = new PickResult[byNumber.size()];
    for (int number = 0; number < states.length; number++) {
      states[number] = byNumber.get(number).state();
      results[number] = byNumber.get(number).result();
    }
    return new RingHashPicker(
        current,
        states,
        results,
        count(Connectivity.CONNECTING) > 0,
        settings().requestHashHeader(),
        context().random(),
        number -> context().control().execute(byNumber.get(number)::connect));
  }

  @Override
  protected Map<String, Object> shownSettings() {
    var settings = settings();
    return Map.of(
        "min_ring_size", settings.minSize(),
        "max_ring_size", settings.maxSize(),
        "request_hash_header", settings.requestHashHeader());
  }

  @Override
  protected String shownDetail() {
    return ring == null ? "" : "a ring of " + ring.size() + " entries";
  }
}
