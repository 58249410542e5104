package io.outrigger.lb.override;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.override.Ownership.Event;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.subchannel.SharedSubchannels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An entry of A75's address map: one address of a cluster, with the connection that sessions use.
 * Only the control loop changes the connection's owner and state. Picks on event loops read the
 * entry's volatile fields and record when a session last used the entry.
 */
@AnyThread
final class AddressEntry implements Subchannel.Listener {
  private static final long NEVER = Long.MIN_VALUE;

  /**
   * The endpoint to which the address belongs.
   *
   * @param addresses all addresses of the endpoint, beginning with the entry's address; each
   *     address is stored without its HTTP proxy
   * @param reachable whether sessions may use the endpoint (A75-33)
   */
  private record Listing(Backend backend, List<EndpointAddress> addresses, boolean reachable) {}

  /** The state of the connection and its pick result, which is present only in state READY. */
  record Link(Connectivity state, PickResult.@Nullable Use use) {}

  private static final Link IDLE = new Link(Connectivity.IDLE, null);
  private static final Link CONNECTING = new Link(Connectivity.CONNECTING, null);
  private static final Link FAILED = new Link(Connectivity.TRANSIENT_FAILURE, null);

  private final EndpointAddress address;
  private final SharedSubchannels subchannels;
  private final Consumer<AddressEntry> onChange;
  private final AtomicLong lastUsed = new AtomicLong(NEVER);
  private final AtomicBoolean requested = new AtomicBoolean();
  private Ownership ownership = Ownership.NONE;
  private @Nullable Subchannel lease;
  private volatile Listing listing;
  private volatile @Nullable Link link;

  /**
   * @param onChange called on the control loop after a change of owner or connection state
   */
  AddressEntry(
      EndpointAddress address,
      Backend backend,
      boolean reachable,
      SharedSubchannels subchannels,
      Consumer<AddressEntry> onChange) {
    this.address = address;
    this.subchannels = subchannels;
    this.onChange = onChange;
    this.listing = listing(address, backend, reachable);
  }

  private static Listing listing(EndpointAddress address, Backend backend, boolean reachable) {
    return new Listing(backend, addresses(address, backend.endpoint()), reachable);
  }

  /** Returns all addresses of an endpoint, the given address first, each without its HTTP proxy. */
  static List<EndpointAddress> addresses(EndpointAddress first, Endpoint endpoint) {
    List<EndpointAddress> addresses = new ArrayList<>(1);
    addresses.add(first.bare());
    for (EndpointAddress other : endpoint.addresses()) {
      if (!other.equals(first)) {
        addresses.add(other.bare());
      }
    }
    return List.copyOf(addresses);
  }

  EndpointAddress address() {
    return address;
  }

  // The following methods are for picks, which run on any thread.

  boolean isReachable() {
    return listing.reachable();
  }

  List<EndpointAddress> addresses() {
    return listing.addresses();
  }

  @Nullable Link link() {
    return link;
  }

  /** Records that a session's call uses this address or waits for its connection. */
  void recordUse(long nowNanos) {
    lastUsed.setOpaque(nowNanos);
  }

  /** Returns true if no connection is requested yet; the caller must then connect. */
  boolean markRequested() {
    return !requested.get() && requested.compareAndSet(false, true);
  }

  // The following methods are for the control loop.

  void clearRequest() {
    requested.set(false);
  }

  void update(Backend backend, boolean reachable) {
    listing = listing(address, backend, reachable);
    if (lease != null) {
      lease.update(backend);
    }
  }

  Backend backend() {
    return listing.backend();
  }

  Ownership ownership() {
    return ownership;
  }

  /**
   * Whether sessions keep the connection to this address open: sessions may use the endpoint, and a
   * session has used the address within the idle timeout.
   */
  boolean isUsedBySessions(long nowNanos, Duration idleTimeout) {
    long used = lastUsed.getOpaque();
    return isReachable() && used != NEVER && nowNanos - used < idleTimeout.toNanos();
  }

  void on(Event event, boolean wanted) {
    ownership = ownership.on(event, wanted);
    Subchannel held = lease;
    if (ownership == Ownership.NONE) {
      lease = null;
      link = null;
      if (held != null) {
        held.close();
      }
    } else {
      if (held == null) {
        held = subchannels.keep(backend(), address, this);
        lease = held;
        link = IDLE;
      }
      if (event == Event.REQUESTED) {
        held.requestConnection();
      }
    }
    onChange.accept(this);
  }

  @Override
  public void onState(Connectivity state, RpcStatus reason) {
    Subchannel current = lease;
    if (current == null) {
      return; // reported while the lease is being released
    }
    link =
        switch (state) {
          case READY -> new Link(state, new PickResult.Use(current));
          case IDLE -> IDLE;
          case CONNECTING -> CONNECTING;
          case TRANSIENT_FAILURE -> FAILED;
        };
    onChange.accept(this);
  }

  SubchannelCalls calls() {
    return lease == null ? SubchannelCalls.NONE : lease.calls();
  }
}
