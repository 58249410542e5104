package io.outrigger.lb.subchannel;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.SubchannelListener;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One subchannel per address for all policies beneath a node: an endpoint that moves to another
 * locality or priority finds its connection there (A56-10, decision lb-0003).
 *
 * <p>Each owner holds a lease, which looks like a subchannel of its own: it starts IDLE, and soon
 * reports the state of the shared one. The shared subchannel is closed at the end of the
 * control-loop turn in which its last lease was closed, so that a subchannel which one policy gives
 * up and another takes in the same update lives on.
 */
@ControlConfined
public final class SharedSubchannels {
  /** Receives the addresses that the policies beneath use; on the control loop, at once. */
  public interface Observer {
    /** The address had no owner, and has one now. */
    void onTaken(EndpointAddress address);

    /** The last owner of the address gave it up; another may take it in the same turn. */
    void onReturned(EndpointAddress address);
  }

  private static final Observer NOBODY =
      new Observer() {
        @Override
        public void onTaken(EndpointAddress address) {}

        @Override
        public void onReturned(EndpointAddress address) {}
      };

  private final ControlLoop control;
  private final LbParent parent;
  private final Map<EndpointAddress, Shared> byAddress = new HashMap<>();
  private Observer observer = NOBODY;

  /** Shares what {@code parent} gives. */
  public SharedSubchannels(ControlLoop control, LbParent parent) {
    this.control = control;
    this.parent = parent;
  }

  /** Replaces the observer. */
  public void observe(Observer next) {
    observer = next;
  }

  /** Whether a policy beneath owns the address. */
  public boolean isTaken(EndpointAddress address) {
    Shared shared = byAddress.get(address);
    return shared != null && shared.owners > 0;
  }

  /** A lease for a policy beneath; as {@link LbParent#newSubchannel}. */
  public Subchannel newSubchannel(
      Backend backend, EndpointAddress address, SubchannelListener listener) {
    return lease(backend, address, listener, true);
  }

  /**
   * A lease for the node itself: it keeps the subchannel like any other, but does not count as an
   * owner to {@link Observer}.
   */
  public Subchannel keep(Backend backend, EndpointAddress address, SubchannelListener listener) {
    return lease(backend, address, listener, false);
  }

  private Lease lease(
      Backend backend, EndpointAddress address, SubchannelListener listener, boolean owner) {
    control.checkInside();
    Shared shared = byAddress.get(address);
    if (shared == null) {
      shared = new Shared(address, backend.locality());
      shared.subchannel = parent.newSubchannel(backend, address, shared);
      byAddress.put(address, shared);
    }
    var lease = new Lease(shared, backend, listener, owner);
    shared.leases.add(lease);
    shared.noteLocality();
    if (shared.state != Connectivity.IDLE) {
      control.execute(lease::catchUp);
    }
    if (owner && ++shared.owners == 1) {
      observer.onTaken(address);
    }
    return lease;
  }

  /** The subchannel of an address and its leases. */
  private final class Shared implements SubchannelListener {
    private final EndpointAddress address;
    private final List<Lease> leases = new ArrayList<>();
    private final Queue<StateChange> changes = new ArrayDeque<>();
    private int owners;
    private @Nullable Subchannel subchannel;
    private Connectivity state = Connectivity.IDLE;
    private RpcStatus reason = RpcStatus.OK;
    private Locality locality;

    Shared(EndpointAddress address, Locality locality) {
      this.address = address;
      this.locality = locality;
    }

    Subchannel subchannel() {
      if (subchannel == null) {
        throw new IllegalStateException(address + " has no subchannel");
      }
      return subchannel;
    }

    /**
     * Reports every state to every owner in order: an owner that answers IDLE by asking for a
     * connection causes the next state before the others got this one.
     */
    @Override
    public void onState(Connectivity next, RpcStatus why) {
      state = next;
      reason = why;
      changes.add(new StateChange(next, why));
      if (changes.size() > 1) {
        return; // the call that reports the first of them reports this one too
      }
      try {
        while (!changes.isEmpty()) {
          StateChange first = changes.element();
          for (Lease lease : List.copyOf(leases)) {
            lease.report(first.state(), first.reason());
          }
          changes.remove();
        }
      } finally {
        changes.clear(); // an owner that throws must not silence the subchannel
      }
    }

    void onReturned(Lease lease) {
      if (!leases.remove(lease)) {
        throw new IllegalStateException(address + ": a lease was returned twice");
      }
      if (lease.owner && --owners == 0) {
        observer.onReturned(address);
      }
      if (leases.isEmpty()) {
        control.execute(this::closeIfUnused);
      } else {
        noteLocality();
      }
    }

    /** The newest owner knows the locality: an older one is about to return its lease. */
    void noteLocality() {
      Backend newest = leases.get(leases.size() - 1).backend;
      if (!newest.locality().equals(locality)) {
        locality = newest.locality();
        subchannel().update(newest);
      }
    }

    private void closeIfUnused() {
      if (leases.isEmpty() && byAddress.remove(address, this)) {
        subchannel().close();
      }
    }
  }

  private record StateChange(Connectivity state, RpcStatus reason) {}

  /** One owner's view of a shared subchannel. */
  private static final class Lease extends DelegatingSubchannel {
    private final Shared shared;
    private final Subchannel subchannel;
    private final SubchannelListener listener;
    private final boolean owner;

    /** Event loops read it when a call ends; an old one for a moment is no harm. */
    private volatile Backend backend;

    private Connectivity reported = Connectivity.IDLE;
    private boolean askedBehind;
    private boolean closed;

    Lease(Shared shared, Backend backend, SubchannelListener listener, boolean owner) {
      this.shared = shared;
      this.subchannel = shared.subchannel();
      this.backend = backend;
      this.listener = listener;
      this.owner = owner;
    }

    void catchUp() {
      if (reported != shared.state) {
        report(shared.state, shared.reason);
      }
    }

    void report(Connectivity state, RpcStatus reason) {
      if (closed) {
        return;
      }
      boolean missed = askedBehind && state == Connectivity.IDLE;
      askedBehind = false;
      reported = state;
      listener.onState(state, reason);
      if (missed && !closed) {
        subchannel.requestConnection();
      }
    }

    /**
     * An owner that still sees IDLE asks for a connection while the shared subchannel has one or
     * makes one. That matters only if the shared one falls back to IDLE before the owner got its
     * state.
     */
    @Override
    public void requestConnection() {
      askedBehind = reported == Connectivity.IDLE && shared.state != Connectivity.IDLE;
      subchannel.requestConnection();
    }

    @Override
    protected Subchannel delegate() {
      return subchannel;
    }

    @Override
    public Endpoint endpoint() {
      return backend.endpoint();
    }

    @Override
    public Optional<Locality> locality() {
      return Optional.of(backend.locality());
    }

    @Override
    public OptionalInt priority() {
      return OptionalInt.of(backend.priority());
    }

    @Override
    public void update(Backend next) {
      backend = next;
      if (!closed) {
        shared.noteLocality();
      }
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        shared.onReturned(this);
      }
    }
  }
}
