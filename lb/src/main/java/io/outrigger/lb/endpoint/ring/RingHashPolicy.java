package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.Backend;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.FailureNote;
import io.outrigger.lb.LbConfig;
import io.outrigger.lb.LbNode;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.member.EndpointPolicy;
import io.outrigger.lb.member.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint that the request's hash falls to (A42). Connections are made when a request needs
 * them.
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
 * <p>In CONNECTING and TRANSIENT_FAILURE a priority above may send no requests here, so there is
 * always one endpoint that connects (A61 "Ring Hash"); failed ones go on trying by themselves.
 */
@ControlConfined
public final class RingHashPolicy
    extends EndpointPolicy<LbConfig.RingHash, RingHashPolicy.Numbered> {
  private static final int NOT_NUMBERED = -1;

  private final ControlLoop control;
  private final RandomSource random;
  private final LbParent parent;

  /** By number on the ring. */
  private List<Numbered> members = List.of();

  /** Of {@link #members}, by their numbers; pickers get copies. */
  private Connectivity[] states = new Connectivity[0];

  /** What READY ones and failed ones answer. */
  private @Nullable PickResult[] results = new PickResult[0];

  /** What {@link #results} say besides the reason of a failure. */
  private @Nullable FailureNote noted;

  private final KeyOrder order = new KeyOrder();

  /** What {@link #ring} was made with. */
  private BalancingPolicy.@Nullable RingHash settings;

  private @Nullable Ring ring;

  /** A policy without endpoints until its first update. */
  public RingHashPolicy(
      ControlLoop control, RandomSource random, LbConfig.RingHash config, LbParent parent) {
    super(control, config, parent);
    this.control = control;
    this.random = random;
    this.parent = parent;
  }

  /** An endpoint, its number and its slot. */
  static final class Numbered extends Member {
    private int number = NOT_NUMBERED;
    private @Nullable Slot slot;

    /** What {@link #slot} was made of. */
    private @Nullable Backend placed;

    private Numbered(ControlLoop control, LbParent parent, Backend backend) {
      super(control, parent, backend);
    }

    /**
     * Where it is to stand: by its own key, or else by its first address (A76).
     *
     * @param added takes a slot that is new
     */
    @SuppressWarnings("ReferenceEquality") // an update shares what is equal: cheap, and enough
    private Slot slot(List<Slot> added) {
      Slot current = slot;
      Backend backend = backend();
      if (current != null && placed == backend) {
        return current;
      }
      placed = backend;
      String address = backend.endpoint().address().toString();
      String own = backend.endpoint().hashKey();
      String key = own.isEmpty() ? address : own;
      if (current != null && current.isOf(key, address)) {
        return current;
      }
      onClose();
      var fresh = new Slot(key, address);
      slot = fresh;
      added.add(fresh);
      return fresh;
    }

    @Override
    protected void onClose() {
      if (slot != null) {
        slot.leave();
      }
    }
  }

  @Override
  protected Numbered newMember(Backend backend) {
    return new Numbered(control, parent, backend);
  }

  @Override
  protected FailureNote note() {
    return config().note();
  }

  @Override
  protected void onUpdate(List<Numbered> added) {
    int sizeBefore = members.size();
    members = List.copyOf(members());
    number();
    var sizes = config().settings();
    boolean changed = place() || members.size() != sizeBefore;
    if (changed || !sizes.equals(settings)) {
      settings = sizes;
      ring = members.isEmpty() ? null : Ring.of(order.slots(), sizes.minSize(), sizes.maxSize());
    }
  }

  /** Gives members the numbers of their places; what is known of those that stay moves along. */
  private void number() {
    Connectivity[] statesBefore = states;
    @Nullable PickResult[] resultsBefore = results;
    boolean fresh = !note().equals(noted);
    noted = note();
    states = new Connectivity[members.size()];
    results = new PickResult[members.size()];
    for (int i = 0; i < states.length; i++) {
      Numbered member = members.get(i);
      int before = member.number;
      member.number = i;
      if (fresh || before == NOT_NUMBERED) {
        note(member);
      } else {
        states[i] = statesBefore[before];
        results[i] = resultsBefore[before];
      }
    }
  }

  /**
   * Brings the slots in line with the members; true when one is another, or weighs more or less.
   */
  private boolean place() {
    long[] weights = config().weights().sharesOf(members, Member::backend);
    List<Slot> added = new ArrayList<>();
    boolean changed = false;
    for (int i = 0; i < weights.length; i++) {
      changed |= members.get(i).slot(added).take(i, weights[i]);
    }
    order.change(added);
    return changed;
  }

  /** The ring in use; null without endpoints. */
  @Nullable Ring ring() {
    return ring;
  }

  @Override
  protected void onMemberChange(Numbered member) {
    if (member.number != NOT_NUMBERED) { // else an update is under way, which notes all
      note(member);
    }
  }

  private void note(Numbered member) {
    states[member.number] = member.state();
    results[member.number] =
        switch (member.state()) {
          case READY -> member.use();
          case TRANSIENT_FAILURE ->
              new PickResult.Fail(
                  note()
                      .unavailable("no endpoint can be reached; last error: " + member.failure()));
          case IDLE, CONNECTING -> null;
        };
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
      keepConnecting();
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

  private void keepConnecting() {
    if (count(Connectivity.CONNECTING) == 0) {
      members.stream()
          .filter(member -> member.state() == Connectivity.IDLE)
          .findFirst()
          .ifPresent(Member::connect);
    }
  }

  private RingHashPicker picker(Ring current) {
    List<Numbered> byNumber = members;
    return new RingHashPicker(
        current,
        states.clone(),
        results.clone(),
        count(Connectivity.CONNECTING) > 0,
        config().settings().requestHashHeader(),
        random,
        number -> control.execute(byNumber.get(number)::connect));
  }

  @Override
  public LbNode describe(String name) {
    var settings = config().settings();
    return describe(
        name,
        Map.of(
            "min_ring_size", settings.minSize(),
            "max_ring_size", settings.maxSize(),
            "request_hash_header", settings.requestHashHeader()),
        ring == null ? "" : "a ring of " + ring.size() + " entries");
  }
}
