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
 * CONNECTING         else, one of several has failed
 * IDLE               else, any is IDLE
 * TRANSIENT_FAILURE  else
 * </pre>
 *
 * <p>A ring_hash policy gets no requests while the priority policy above it uses another child. To
 * become READY without requests, the ring_hash policy keeps one endpoint connecting while its own
 * state is CONNECTING or TRANSIENT_FAILURE (A61 "Ring Hash"). The search begins at a random ring
 * entry (A117). A failed endpoint reconnects after its back-off, without a request.
 */
@ControlConfined
public final class RingHashPolicy extends EndpointPolicy<RingHashPolicy.RingEndpoint> {
  /** The members in the order of their keys. A member's slot number is its list index. */
  private List<RingEndpoint> members = List.of();

  private LbConfig.Leaf applied;

  private @Nullable Ring ring;

  public RingHashPolicy(LbContext context, LbConfig.Leaf config, LbParent parent) {
    super(context, config, parent);
    this.applied = config;
  }

  @Override
  protected RingEndpoint newMember(Backend backend) {
    return new RingEndpoint(context().control(), parent(), backend);
  }

  @Override
  protected void onUpdate(Change<RingEndpoint> change) {
    boolean isUnchanged =
        change.added().isEmpty() && change.kept().isEmpty() && change.removed().isEmpty();
    if (!isUnchanged) {
      change.kept().forEach(kept -> kept.slot = Slot.of(kept.backend()));
      List<RingEndpoint> next =
          new ArrayList<>(members); // sorting is fast, because the list is nearly sorted
      if (!change.removed().isEmpty()) {
        next.removeAll(Set.copyOf(change.removed()));
      }
      next.addAll(change.added());
      next.sort(Comparator.comparing(member -> member.slot, Slot.ORDER));
      members = List.copyOf(next);
    }
    if (!isUnchanged || !isBuiltFor(config())) {
      ring = members.isEmpty() ? null : newRing();
    }
    applied = config();
  }

  private BalancingPolicy.RingHash settings() {
    return (BalancingPolicy.RingHash) config().settings();
  }

  private boolean isBuiltFor(LbConfig.Leaf config) {
    return config.settings().equals(applied.settings())
        && config.weights().equals(applied.weights());
  }

  private Ring newRing() {
    var settings = settings();
    long[] shares =
        config().weights().sharesOf(members.stream().map(RingEndpoint::backend).toList());
    return Ring.of(
        members.stream().map(member -> member.slot).toList(),
        shares,
        settings.minSize(),
        settings.maxSize());
  }

  @Override
  protected void onMemberChange(RingEndpoint member) {
    // This method does nothing, because publish() reads the states of all members.
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
   * Connects the first IDLE endpoint after a random entry of the ring. With a fixed entry, all
   * clients with the same failed endpoints would connect to one endpoint (A117).
   */
  private void keepConnecting(Ring current) {
    if (count(Connectivity.CONNECTING) > 0 || count(Connectivity.IDLE) == 0) {
      return;
    }
    int first = (int) context().random().nextLong(current.size(), Purpose.START_INDEX);
    int index = first;
    do {
      RingEndpoint member = members.get(current.slotAt(index));
      if (member.state() == Connectivity.IDLE) {
        member.connect();
        return;
      }
      index = current.next(index);
    } while (index != first);
  }

  private RingHashPicker picker(Ring current) {
    List<RingEndpoint> bySlot = members; // the picker keeps this list after an update
    var states = new Connectivity[bySlot.size()];
    var uses = new PickResult.Use[bySlot.size()];
    var failures = new String[bySlot.size()];
    for (int slot = 0; slot < states.length; slot++) {
      RingEndpoint member = bySlot.get(slot);
      states[slot] = member.state();
      switch (member.state()) {
        case READY -> uses[slot] = member.use();
        case TRANSIENT_FAILURE -> failures[slot] = member.failure();
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
        slot -> context().control().execute(bySlot.get(slot)::connect),
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

  static final class RingEndpoint extends LeafEndpoint {
    private Slot slot;

    private RingEndpoint(ControlLoop control, LbParent parent, Backend backend) {
      super(control, parent, backend);
      this.slot = Slot.of(backend);
    }
  }
}
