package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.lb.Backend;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.FailureNote;
import io.outrigger.lb.LbConfig;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.member.EndpointPolicy;
import io.outrigger.lb.member.Member;
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
  private static final int NOT_ON_RING = -1;

  private final ControlLoop control;
  private final RandomSource random;
  private final LbParent parent;

  /** By number on the ring. */
  private List<Numbered> members = List.of();

  /** Of {@link #members}, by their numbers; pickers get copies. */
  private Connectivity[] states = new Connectivity[0];

  /** What READY ones and failed ones answer. */
  private @Nullable PickResult[] results = new PickResult[0];

  /** What the ring is made of; an update that leaves it as it is leaves the ring. */
  private RingInputs inputs = new RingInputs(List.of(), 0, 0);

  private @Nullable Ring ring;

  /** A policy without endpoints until its first update. */
  public RingHashPolicy(
      ControlLoop control, RandomSource random, LbConfig.RingHash config, LbParent parent) {
    super(control, config, parent);
    this.control = control;
    this.random = random;
    this.parent = parent;
  }

  /** An endpoint and its number on the ring. */
  static final class Numbered extends Member {
    private int number = NOT_ON_RING;

    private Numbered(ControlLoop control, LbParent parent, Backend backend) {
      super(control, parent, backend);
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
    members = List.copyOf(members());
    states = new Connectivity[members.size()];
    results = new PickResult[members.size()];
    for (int i = 0; i < states.length; i++) {
      members.get(i).number = i;
      note(members.get(i));
    }
    var next =
        new RingInputs(
            members.stream().map(RingHashPolicy::slot).toList(),
            config().settings().minSize(),
            config().settings().maxSize());
    if (!next.equals(inputs)) {
      inputs = next;
      ring = next.slots().isEmpty() ? null : Ring.of(next.slots(), next.minSize(), next.maxSize());
    }
  }

  /** The ring in use; null without endpoints. */
  @Nullable Ring ring() {
    return ring;
  }

  /** A76: the endpoint's own key, or else its first address. */
  private static Ring.Slot slot(Member member) {
    Backend backend = member.backend();
    String key = backend.endpoint().hashKey();
    return new Ring.Slot(
        key.isEmpty() ? backend.endpoint().address().toString() : key, backend.weight());
  }

  @Override
  protected void onMemberChange(Numbered member) {
    if (member.number != NOT_ON_RING) { // else an update is under way, which notes all
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
  protected Map<String, Object> shownSettings() {
    var settings = config().settings();
    return Map.of(
        "min_ring_size", settings.minSize(),
        "max_ring_size", settings.maxSize(),
        "request_hash_header", settings.requestHashHeader());
  }

  @Override
  protected String shownDetail() {
    return ring == null ? "" : "a ring of " + ring.size() + " entries";
  }

  /** Equal inputs make an equal ring; slots by number. */
  private record RingInputs(List<Ring.Slot> slots, long minSize, long maxSize) {}
}
