package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.endpoint.ring.Ring.Slot;
import io.outrigger.lb.member.EndpointPolicy;
import io.outrigger.lb.member.LeafEndpoint;
import io.outrigger.lb.state.Connectivity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Picks the endpoint to which the request's hash belongs on a hash ring (A42). An endpoint is
 * connected when a request needs it.
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
 * <p>In states CONNECTING and TRANSIENT_FAILURE, a priority policy above may send no requests to
 * this policy. This policy therefore keeps one endpoint connecting without requests (A61 "Ring
 * Hash"), beginning at a random ring entry (A117). Failed endpoints retry by themselves.
 */
@ControlConfined
public final class RingHashPolicy extends EndpointPolicy<RingHashPolicy.PlacedEndpoint> {
  /** The members in the order of their keys. A member's slot number is its list index. */
  private List<PlacedEndpoint> members = List.of();

  /** The configuration from which {@link #ring} was built. */
  private LbConfig.Leaf applied;

  /** The current ring; null while the policy has no endpoints. */
  private @Nullable Ring ring;

  public RingHashPolicy(LbContext context, LbConfig.Leaf config, LbParent parent) {
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
      change.kept().forEach(kept -> kept.slot = Slot.of(kept.backend()));
      List<PlacedEndpoint> next =
          new ArrayList<>(members); // sorting is fast, because the list is nearly sorted
      if (!change.removed().isEmpty()) {
        next.removeAll(Set.copyOf(change.removed()));
      }
      next.addAll(change.added());
      next.sort(Comparator.comparing(member -> member.slot));
      members = List.copyOf(next);
    }
    if (!isSame || !isMadeFor(config())) {
      ring = members.isEmpty() ? null : newRing();
    }
    applied = config();
  }

  private BalancingPolicy.RingHash settings() {
    return (BalancingPolicy.RingHash) config().settings();
  }

  private boolean isMadeFor(LbConfig.Leaf config) {
    return config.settings().equals(applied.settings())
        && config.weights().equals(applied.weights());
  }

  private Ring newRing() {
    var settings = settings();
    long[] shares =
        config().weights().sharesOf(members.stream().map(PlacedEndpoint::backend).toList());
    return Ring.of(
        members.stream().map(member -> member.slot).toList(),
        shares,
        settings.minSize(),
        settings.maxSize());
  }

  @Nullable Ring ring() {
    return ring;
  }

  @Override
  protected void onMemberChange(PlacedEndpoint member) {
    // The next picker includes the change.
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
   * Connects an IDLE endpoint, beginning at a random entry of the ring, so that many clients with
   * the same failed endpoints do not all connect to the same endpoint (A117).
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
    var uses = new PickResult.Use[byNumber.size()];
    var failures = new String[byNumber.size()];
    for (int number = 0; number < states.length; number++) {
      PlacedEndpoint member = byNumber.get(number);
      states[number] = member.state();
      switch (member.state()) {
        case READY -> uses[number] = member.use();
        case TRANSIENT_FAILURE -> failures[number] = member.failure();
        case IDLE, CONNECTING -> {}
      }
    }
    return new RingHashPicker(
        current,
        states,
        uses,
        failures,
        new PickResult.Fail[states.length],
        note(),
        count(Connectivity.CONNECTING) > 0,
        settings().requestHashHeader(),
        context().random(),
        number -> context().control().execute(byNumber.get(number)::connect),
        new AtomicIntegerArray(states.length));
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

  static final class PlacedEndpoint extends LeafEndpoint {
    private Slot slot;

    private PlacedEndpoint(ControlLoop control, LbParent parent, Backend backend) {
      super(control, parent, backend);
      this.slot = Slot.of(backend);
    }
  }
}
