package io.outrigger.lb.override;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.ListChange;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.lb.Backend;
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
 * Every address of a cluster's endpoints, whatever their priority (A75's address map). The control
 * loop changes it; pickers look up hosts in it from event loops. Keyed without proxies, as sessions
 * name addresses.
 */
@AnyThread
final class HostTable implements SharedSubchannels.Observer {
  private final ControlLoop control;
  private final SharedSubchannels subchannels;
  private final Consumer<Host> onChange;
  private final Map<EndpointAddress, Host> hosts = new ConcurrentHashMap<>();

  /** Those whose connections only sessions keep. */
  private final Set<Host> kept = new LinkedHashSet<>();

  private List<Backend> backends = List.of();
  private Set<HealthStatus> statuses = Set.of();
  private Duration idleTimeout = Duration.ZERO;

  /** An empty table, which {@code subchannels} is to tell of owners. */
  HostTable(ControlLoop control, SharedSubchannels subchannels, Consumer<Host> onChange) {
    this.control = control;
    this.subchannels = subchannels;
    this.onChange = onChange;
  }

  /** The host of an address; null when no endpoint of the cluster has it. Any thread. */
  @Nullable Host get(EndpointAddress address) {
    return hosts.get(address);
  }

  /** Those whose connections only sessions keep. */
  List<Host> kept() {
    return List.copyOf(kept);
  }

  /** Whether {@code host} is still in the table. */
  boolean has(Host host) {
    return hosts.get(host.address().bare()) == host;
  }

  /**
   * Takes the endpoints of the cluster and which of them sessions may reach. Connections that
   * sessions keep to others end (A75-33, A75-38).
   */
  void update(List<Backend> next, Set<HealthStatus> reachable, Duration timeout) {
    idleTimeout = timeout;
    boolean allAnew = !reachable.equals(statuses);
    statuses = reachable;
    ListChange<Backend> change = ListChange.between(backends, next);
    backends = next;
    (allAnew ? next : change.added()).forEach(this::list);
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

  private void list(Backend backend) {
    boolean reachable = statuses.contains(backend.endpoint().health());
    for (EndpointAddress address : backend.endpoint().addresses()) {
      Host host = hosts.get(address.bare());
      if (host != null && !host.address().equals(address)) { // another proxy is another way
        remove(host.address());
        host = null;
      }
      if (host == null) {
        host = new Host(address, backend, reachable, subchannels, this::onHostChange);
        hosts.put(address.bare(), host);
        if (subchannels.isTaken(address)) {
          host.on(Event.TAKEN, false);
        }
      } else {
        host.list(backend, reachable);
        if (!reachable && host.ownership() == Ownership.SESSIONS) {
          host.on(Event.UNUSED, false);
        }
      }
    }
  }

  private void remove(EndpointAddress address) {
    Host host = at(address);
    if (host != null) {
      hosts.remove(address.bare());
      host.on(Event.GONE, false);
    }
  }

  /** Gives up every connection. */
  void close() {
    for (Host host : List.copyOf(hosts.values())) {
      remove(host.address());
    }
  }

  /** Ends the connections that no session used for the idle timeout. */
  void sweep() {
    long now = control.nanoTime();
    for (Host host : kept()) {
      if (!host.isWanted(now, idleTimeout)) {
        host.on(Event.UNUSED, false);
      }
    }
  }

  /** How long {@code host} may stay unused from now on. */
  Duration remaining(Host host) {
    long unused = Math.max(0, host.unusedNanos(control.nanoTime()));
    return idleTimeout.minusNanos(unused);
  }

  @Override
  public void onTaken(EndpointAddress address) {
    Host host = at(address);
    if (host != null) {
      host.on(Event.TAKEN, false);
    }
  }

  @Override
  public void onReturned(EndpointAddress address) {
    Host host = at(address);
    if (host != null) {
      host.on(Event.RETURNED, host.isWanted(control.nanoTime(), idleTimeout));
    }
  }

  private @Nullable Host at(EndpointAddress address) {
    Host host = hosts.get(address.bare());
    return host != null && host.address().equals(address) ? host : null;
  }

  private void onHostChange(Host host) {
    if (host.ownership() == Ownership.SESSIONS) {
      kept.add(host);
    } else {
      kept.remove(host);
    }
    onChange.accept(host);
  }

  /** The hosts of an endpoint's addresses, in their order. */
  List<Host> hostsOf(Backend backend) {
    List<Host> found = new ArrayList<>(1);
    for (EndpointAddress address : backend.endpoint().addresses()) {
      Host host = at(address);
      if (host != null) {
        found.add(host);
      }
    }
    return found;
  }
}
