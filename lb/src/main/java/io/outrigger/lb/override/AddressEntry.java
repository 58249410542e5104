package io.outrigger.lb.override;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.SubchannelListener;
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
 * One address of a cluster as sessions see it: an entry of A75's map. The control loop owns it;
 * picks on event loops read its volatile fields and record that they used it.
 */
@AnyThread
final class AddressEntry implements SubchannelListener {
  private static final long NEVER = Long.MIN_VALUE;

  /**
   * The endpoint that has the address.
   *
   * @param addresses all of the endpoint's, this one first; without proxies
   * @param reachable whether sessions may go there (A75-33)
   */
  private record Listing(Backend backend, List<EndpointAddress> addresses, boolean reachable) {}

  /** The connection as picks see it; {@code use} exactly in READY. */
  record Link(Connectivity state, PickResult.@Nullable Use use) {}

  private static final Link IDLE = new Link(Connectivity.IDLE, null);
  private static final Link CONNECTING = new Link(Connectivity.CONNECTING, null);
  private static final Link FAILED = new Link(Connectivity.TRANSIENT_FAILURE, null);

  private final EndpointAddress address;
  private final SharedSubchannels subchannels;
  private final Consumer<AddressEntry> onChange;
  private final AtomicLong lastUsed = new AtomicLong(NEVER);
  private final AtomicBoolean asked = new AtomicBoolean();
  private Ownership ownership = Ownership.NOBODY;
  private @Nullable Subchannel lease;
  private volatile Listing listing;
  private volatile @Nullable Link link;

  /**
   * @param address one of {@code backend}'s
   * @param onChange runs after a change of owner or connection state; control loop
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

  /** All addresses of {@code endpoint}, {@code first} first; without proxies. */
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

  // For picks, on any thread.

  boolean isReachable() {
    return listing.reachable();
  }

  /** All addresses of the endpoint, this one first. */
  List<EndpointAddress> addresses() {
    return listing.addresses();
  }

  /** The connection; null when there is none. */
  @Nullable Link link() {
    return link;
  }

  /** A session's call was picked for it, or waits for it. */
  void used(long nowNanos) {
    lastUsed.setOpaque(nowNanos);
  }

  /** True for the first caller before {@link #answered}. */
  boolean ask() {
    return !asked.get() && asked.compareAndSet(false, true);
  }

  // For the control loop.

  void answered() {
    asked.set(false);
  }

  /** The endpoint is another, or has another health. */
  void list(Backend backend, boolean reachable) {
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

  /** How long ago a session used it; negative when none ever did. */
  long unusedNanos(long nowNanos) {
    long used = lastUsed.getOpaque();
    return used == NEVER ? -1 : nowNanos - used;
  }

  /** Whether its connection is worth keeping for sessions. */
  boolean isWanted(long nowNanos, Duration idleTimeout) {
    long unused = unusedNanos(nowNanos);
    return isReachable() && unused >= 0 && unused < idleTimeout.toNanos();
  }

  /** Applies {@link Ownership#on}. */
  void on(Event event, boolean wanted) {
    Ownership.Step step = ownership.on(event, wanted);
    ownership = step.next();
    switch (step.action()) {
      case NOTHING -> {}
      case LEASE -> lease();
      case LEASE_AND_CONNECT -> lease().requestConnection();
      case CONNECT -> held().requestConnection();
      case RELEASE -> {
        Subchannel last = held();
        lease = null;
        link = null;
        last.close();
      }
    }
    onChange.accept(this);
  }

  private Subchannel lease() {
    Subchannel taken = subchannels.keep(backend(), address, this);
    lease = taken;
    link = IDLE;
    return taken;
  }

  private Subchannel held() {
    if (lease == null) {
      throw new IllegalStateException(address + " has no lease while owned by " + ownership);
    }
    return lease;
  }

  @Override
  public void onState(Connectivity state, RpcStatus reason) {
    Subchannel current = lease;
    if (current == null) {
      return; // reported while the lease was returned
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

  /** The calls that its connection had; control loop. */
  SubchannelCalls calls() {
    return lease == null ? SubchannelCalls.NONE : lease.calls();
  }
}
