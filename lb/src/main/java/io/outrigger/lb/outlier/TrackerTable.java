package io.outrigger.lb.outlier;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.ListChange;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.CallCounts;
import io.outrigger.lb.config.Backend;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint trackers of a cluster, one per set of addresses. An endpoint that is listed several
 * times, even in several priorities, has one tracker (A50-41, A50-48, A50-49, A75-25). The tracker
 * of an endpoint that leaves the cluster is removed (A50-40).
 */
@ControlConfined
final class TrackerTable {
  private final Supplier<CallCounts> newCounts;
  private final Map<Set<EndpointAddress>, Entry> entries = new LinkedHashMap<>();
  private final Map<EndpointAddress, EndpointTracker> byAddress = new HashMap<>();

  /** Subchannels whose endpoint was removed, or whose address belongs to no endpoint. */
  private final Set<EjectableSubchannel> orphans = new LinkedHashSet<>();

  private List<Backend> backends = List.of();

  private boolean counting;

  /** A tracker and the number of times that the configuration lists its endpoint. */
  private static final class Entry {
    private final EndpointTracker tracker;
    private int uses;

    Entry(EndpointTracker tracker) {
      this.tracker = tracker;
    }
  }

  /**
   * @param newCounts creates the call counts of an endpoint; called only while detection is on
   */
  TrackerTable(Supplier<CallCounts> newCounts) {
    this.newCounts = newCounts;
  }

  /** Returns every tracker, in the order in which the endpoints were added. */
  List<EndpointTracker> all() {
    return entries.values().stream().map(entry -> entry.tracker).toList();
  }

  @Nullable EndpointTracker of(EndpointAddress address) {
    return byAddress.get(address);
  }

  /** Switches the counting of calls on or off, for all current and future endpoints. */
  void setCounting(boolean on) {
    if (counting != on) {
      counting = on;
      all().forEach(tracker -> tracker.setCounting(on));
    }
  }

  /**
   * Replaces the endpoints of the cluster. Subchannels of removed endpoints keep their trackers
   * until {@link #reassignOrphans}; most of these subchannels close before, and need no other
   * tracker.
   */
  void update(List<Backend> next) {
    ListChange<Backend> change = ListChange.between(backends, next);
    backends = next;
    Map<Set<EndpointAddress>, EndpointTracker> newTrackers = new HashMap<>();
    for (Backend added : change.added()) {
      Set<EndpointAddress> key = key(added);
      Entry entry = entries.get(key);
      if (entry == null) {
        entry = new Entry(new EndpointTracker(added.endpoint().address(), newCounts));
        entry.tracker.setCounting(counting);
        entries.put(key, entry);
        newTrackers.put(key, entry.tracker);
      }
      entry.uses++;
    }
    change.removed().forEach(this::release);
    newTrackers.forEach((key, tracker) -> key.forEach(address -> byAddress.put(address, tracker)));
  }

  private void release(Backend backend) {
    Set<EndpointAddress> key = key(backend);
    Entry entry = entries.get(key);
    if (entry == null) {
      throw new IllegalStateException("no tracker of " + key);
    }
    entry.uses--;
    if (entry.uses == 0) {
      entries.remove(key);
      key.forEach(address -> byAddress.remove(address, entry.tracker));
      orphans.addAll(entry.tracker.subchannels());
    }
  }

  private static Set<EndpointAddress> key(Backend backend) {
    return backend.endpoint().addressSet();
  }

  /** Adds a new subchannel whose owner has received no state. */
  void add(EjectableSubchannel subchannel, ControlLoop control) {
    EndpointTracker tracker = of(subchannel.address());
    if (tracker == null) {
      orphans.add(subchannel);
    } else {
      subchannel.setTracker(tracker);
      tracker.startEjected(subchannel, control);
    }
  }

  void remove(EjectableSubchannel subchannel) {
    subchannel.setTracker(null);
    orphans.remove(subchannel);
  }

  /**
   * Assigns each subchannel whose endpoint was removed to the endpoint that now has its address. An
   * assigned subchannel is ejected if, and only if, its new endpoint is ejected. A subchannel whose
   * address belongs to no endpoint is neither counted nor ejected.
   */
  void reassignOrphans() {
    for (EjectableSubchannel orphan : new ArrayList<>(orphans)) {
      EndpointTracker tracker = of(orphan.address());
      orphan.setTracker(tracker);
      if (tracker == null) {
        orphan.uneject();
      } else {
        orphans.remove(orphan);
        tracker.applyEjection(orphan);
      }
    }
  }
}
