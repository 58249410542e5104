package io.outrigger.lb.override;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.ListChange;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.override.Ownership.Event;
import io.outrigger.lb.subchannel.SharedSubchannels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Maps the addresses of a cluster's endpoints, in all priorities, to their entries (A75's address
 * map). The control loop changes the map; pickers look up entries on event loops. The keys leave
 * out the HTTP proxy of an address, because sessions do so, too.
 */
@AnyThread
final class AddressMap {
  private final ControlLoop control;
  private final SharedSubchannels subchannels;
  private final Consumer<AddressEntry> onChange;
  private final Map<EndpointAddress, AddressEntry> entries = new ConcurrentHashMap<>();

  /** The entries of the addresses whose connections stay open only for sessions. */
  private final Set<AddressEntry> sessionEntries = new LinkedHashSet<>();

  private List<Backend> backends = List.of();
  private Set<HealthStatus> statuses = Set.of();
  private Duration idleTimeout = Duration.ZERO;

  AddressMap(ControlLoop control, LbParent parent, Consumer<AddressEntry> onChange) {
    this.control = control;
    this.subchannels = new SharedSubchannels(control, parent, this::onAcquired, this::onReleased);
    this.onChange = onChange;
  }

  /** The subchannels that the policies below this node share with sessions. */
  SharedSubchannels subchannels() {
    return subchannels;
  }

  /** The entry of an address, or null; any thread may call this method. */
  @Nullable AddressEntry get(EndpointAddress address) {
    return entries.get(address);
  }

  List<AddressEntry> sessionEntries() {
    return List.copyOf(sessionEntries);
  }

  boolean hasSessionEntries() {
    return !sessionEntries.isEmpty();
  }

  boolean contains(AddressEntry entry) {
    return entries.get(entry.address().bare()) == entry;
  }

  /**
   * Replaces the endpoints of the cluster. Sessions may then reach an endpoint if its health status
   * is in {@code reachable}. If sessions may no longer reach an endpoint, a connection to this
   * endpoint that was kept only for sessions is closed (A75-33, A75-38).
   */
  void update(List<Backend> next, Set<HealthStatus> reachable, Duration timeout) {
    idleTimeout = timeout;
    boolean statusesChanged = !reachable.equals(statuses);
    statuses = reachable;
    ListChange<Backend> change = ListChange.between(backends, next);
    backends = next;
    (statusesChanged ? next : change.added()).forEach(this::put);
    Set<EndpointAddress> added = new HashSet<>();
    change.added().forEach(backend -> added.addAll(backend.endpoint().addresses()));
    for (Backend backend : change.removed()) {
      for (EndpointAddress address : backend.endpoint().addresses()) {
        if (!added.contains(address)) {
          remove(address);
        }
      }
    }
  }

  private void put(Backend backend) {
    boolean reachable = statuses.contains(backend.endpoint().health());
    for (EndpointAddress address : backend.endpoint().addresses()) {
      AddressEntry entry = entries.get(address.bare());
      if (entry != null && !entry.address().equals(address)) { // new proxy or TLS settings
        remove(entry.address());
        entry = null;
      }
      if (entry == null) {
        entry = new AddressEntry(address, backend, reachable, subchannels, this::onEntryChange);
        entries.put(address.bare(), entry);
        if (subchannels.isAcquired(address)) {
          entry.on(Event.ACQUIRED, false);
        }
      } else {
        entry.update(backend, reachable);
        if (!reachable && entry.ownership() == Ownership.SESSIONS) {
          entry.on(Event.UNUSED, false);
        }
      }
    }
  }

  private void remove(EndpointAddress address) {
    AddressEntry entry = find(address);
    if (entry != null) {
      entries.remove(address.bare());
      entry.on(Event.REMOVED, false);
    }
  }

  void close() {
    for (AddressEntry entry : List.copyOf(entries.values())) {
      remove(entry.address());
    }
  }

  void sweep() {
    long now = control.nanoTime();
    for (AddressEntry entry : sessionEntries()) {
      if (!entry.isUsedBySessions(now, idleTimeout)) {
        entry.on(Event.UNUSED, false);
      }
    }
  }

  private void onAcquired(EndpointAddress address) {
    AddressEntry entry = find(address);
    if (entry != null) {
      entry.on(Event.ACQUIRED, false);
    }
  }

  private void onReleased(EndpointAddress address) {
    AddressEntry entry = find(address);
    if (entry != null) {
      entry.on(Event.RELEASED, entry.isUsedBySessions(control.nanoTime(), idleTimeout));
    }
  }

  private @Nullable AddressEntry find(EndpointAddress address) {
    AddressEntry entry = entries.get(address.bare());
    return entry != null && entry.address().equals(address) ? entry : null;
  }

  private void onEntryChange(AddressEntry entry) {
    if (entry.ownership() == Ownership.SESSIONS) {
      sessionEntries.add(entry);
    } else {
      sessionEntries.remove(entry);
    }
    onChange.accept(entry);
  }

  List<AddressEntry> entriesOf(Backend backend) {
    List<AddressEntry> found = new ArrayList<>(1);
    for (EndpointAddress address : backend.endpoint().addresses()) {
      AddressEntry entry = find(address);
      if (entry != null) {
        found.add(entry);
      }
    }
    return found;
  }
}
