package io.outrigger.lb.member;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ListChange;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PublishGate;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The base class of leaf policies that pick among endpoints with one connection per endpoint (A61).
 * Subclasses decide which endpoints connect, derive the policy's state from the states of the
 * endpoints, and share calls among endpoints.
 *
 * <p>An update changes only the endpoints that differ: an unchanged endpoint keeps its connection.
 * Several changes of state in one turn of the control loop cause only one new picker, even if ten
 * thousand endpoints connect at the same time. A new picker is published even if the READY
 * endpoints are unchanged, because only a new picker wakes a call that waits after the loss of its
 * connection.
 */
@ControlConfined
public abstract class EndpointPolicy<M extends LeafEndpoint> implements LbPolicy {
  private final LbContext context;
  private final LbParent parent;
  private LbConfig.Leaf config;
  private final Map<Key, M> members = new HashMap<>();
  private List<M> ordered = List.of();
  private Connectivity state = Connectivity.CONNECTING;
  private @Nullable M lastFailed;
  private final PublishGate gate = new PublishGate(this::publish);

  protected EndpointPolicy(LbContext context, LbConfig.Leaf config, LbParent parent) {
    this.context = context;
    this.parent = parent;
    this.config = config;
  }

  protected abstract M newMember(Backend backend);

  protected abstract void onMemberChange(M member);

  /** Called after an update has changed the members. */
  protected abstract void onUpdate(Change<M> change);

  /**
   * Calls {@link #publish(Connectivity, Picker)} with a state and a picker that are derived from
   * the states of the members.
   */
  protected abstract void publish();

  protected final LbContext context() {
    return context;
  }

  protected final LbParent parent() {
    return parent;
  }

  protected final LbConfig.Leaf config() {
    return config;
  }

  protected final FailureNote note() {
    return config.note();
  }

  protected final int count(Connectivity state) {
    int count = 0;
    for (M member : ordered) {
      count += member.state() == state ? 1 : 0;
    }
    return count;
  }

  protected final List<M> ready() {
    List<M> ready = new ArrayList<>(ordered.size());
    for (M member : ordered) {
      if (member.state() == Connectivity.READY) {
        ready.add(member);
      }
    }
    return ready;
  }

  @Override
  public final void update(LbConfig next) {
    List<Backend> before = config.backends();
    config = (LbConfig.Leaf) next;
    gate.publishAfter(() -> onUpdate(applyEndpoints(before, config.backends())));
  }

  private Change<M> applyEndpoints(List<Backend> before, List<Backend> after) {
    // No member exists before the first update; an endpoint that is listed twice is one member.
    boolean isAligned = ordered.size() == before.size();
    ListChange<Backend> change = ListChange.between(isAligned ? before : List.of(), after);
    var removable =
        new Removable<>(
            isAligned ? ordered.subList(change.head(), ordered.size() - change.tail()) : ordered);
    members.keySet().removeAll(removable.byKey.keySet());
    List<M> added = new ArrayList<>();
    List<M> kept = new ArrayList<>();
    List<M> changed = new ArrayList<>();
    for (Backend backend : change.added()) {
      var key = Key.of(backend);
      if (members.containsKey(key)) {
        continue; // an endpoint that is listed twice is one member
      }
      M member = removable.take(key);
      if (member == null) {
        M fresh = newMember(backend);
        fresh.listen(() -> onChange(fresh));
        member = fresh;
        added.add(fresh);
      } else {
        kept.add(member);
      }
      member.update(backend);
      members.put(key, member);
      changed.add(member);
    }
    List<M> next = new ArrayList<>(after.size());
    next.addAll(ordered.subList(0, change.head()));
    next.addAll(changed);
    next.addAll(ordered.subList(ordered.size() - change.tail(), ordered.size()));
    ordered = next;
    Collection<M> gone = removable.byKey.values();
    for (M removed : gone) {
      removed.close();
      if (removed == lastFailed) {
        lastFailed = null; // no remaining member has this error
      }
    }
    return new Change<>(added, kept, List.copyOf(gone));
  }

  @Override
  public void close() {
    gate.close();
    ordered.forEach(LeafEndpoint::close);
    ordered = List.of();
    members.clear();
  }

  @Override
  public final void accept(NodeVisitor visitor, String name, boolean isUsed) {
    visitor.enter(new LbNode(name, config.policy(), state, shownSettings(), shownDetail(), isUsed));
    for (M member : ordered) {
      visitor.endpoint(member.describe());
    }
    visitor.leave();
  }

  protected Map<String, Object> shownSettings() {
    return Map.of();
  }

  protected String shownDetail() {
    return "";
  }

  private void onChange(M member) {
    if (member.state() == Connectivity.TRANSIENT_FAILURE) {
      lastFailed = member;
    }
    onMemberChange(member);
    publishSoon();
  }

  protected final void publishSoon() {
    gate.requestLater(context.control());
  }

  protected final void publish(Connectivity next, Picker picker) {
    state = next;
    parent.publish(next, picker);
  }

  /** Publishes TRANSIENT_FAILURE with the error of the member that failed last. */
  protected final void publishFailure() {
    String reason =
        ordered.isEmpty()
            ? "there are no endpoints"
            : "no endpoint can be reached; last error: "
                + (lastFailed == null ? ordered.get(0) : lastFailed).failure();
    publish(
        Connectivity.TRANSIENT_FAILURE,
        new Picker.Fixed(new PickResult.Fail(note().unavailable(reason))));
  }

  /**
   * The members that an update added, kept and removed. The removed members are closed.
   *
   * @param kept members that stay, possibly with another position, weight, key or locality;
   *     unchanged members at the start and at the end of the list may be left out
   */
  protected record Change<M>(List<M> added, List<M> kept, List<M> removed) {}

  /**
   * The members that an update removes unless an added endpoint reuses them. An added endpoint
   * reuses a removable member if the two have an address in common.
   */
  private static final class Removable<M extends LeafEndpoint> {
    private final Map<Key, M> byKey = new LinkedHashMap<>();
    private @Nullable Map<EndpointAddress, Key> byAddress;

    Removable(List<M> members) {
      members.forEach(member -> byKey.put(Key.of(member.backend()), member));
    }

    /**
     * Removes and returns the member that an added endpoint reuses: the member with exactly the
     * endpoint's addresses, or else a member with some of these addresses. For example, a
     * connection stays when a DNS name resolves to more addresses than before (A37-06).
     */
    @Nullable M take(Key wanted) {
      M same = byKey.remove(wanted);
      if (same != null) {
        return same;
      }
      if (byAddress == null) {
        byAddress = new HashMap<>();
        for (Key key : byKey.keySet()) {
          for (EndpointAddress address : key.addresses()) {
            byAddress.put(address, key);
          }
        }
      }
      for (EndpointAddress address : wanted.addresses()) {
        Key other = byAddress.get(address);
        if (other != null && other.hostname().equals(wanted.hostname())) {
          return byKey.remove(other); // null if another endpoint has taken the member
        }
      }
      return null;
    }
  }

  /**
   * The identity of an endpoint (A61), which excludes the order of its addresses, its weight and
   * its health.
   */
  private record Key(Set<EndpointAddress> addresses, String hostname) {
    static Key of(Backend backend) {
      return new Key(backend.endpoint().addressSet(), backend.endpoint().hostname());
    }

    /** Replaces the generated method, whose first call delays the start by milliseconds. */
    @Override
    public int hashCode() {
      return 31 * addresses.hashCode() + hostname.hashCode();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key key
          && addresses.equals(key.addresses)
          && hostname.equals(key.hostname);
    }
  }
}
