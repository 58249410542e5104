package io.outrigger.lb.subchannel;

import static java.util.Objects.requireNonNull;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shares one subchannel per address among all policies below a node, so that an endpoint that moves
 * to another locality or priority keeps its connection (A56-10, decision lb-0003).
 *
 * <p>Each policy holds a lease, which behaves like a separate subchannel. A lease starts IDLE, and
 * soon reports the state of the shared subchannel. After the last lease is closed, a later task of
 * the control loop closes the shared subchannel, unless a policy has obtained a lease in the
 * meantime.
 */
@ControlConfined
public final class SharedSubchannels {
  private final ControlLoop control;
  private final LbParent parent;
  private final Map<EndpointAddress, Shared> byAddress = new HashMap<>();
  private final Consumer<EndpointAddress> onAcquired;
  private final Consumer<EndpointAddress> onReleased;

  /**
   * @param onAcquired called when a first policy obtains a lease for an address
   * @param onReleased called when the last policy with a lease for an address has closed its lease;
   *     a policy may obtain a new lease in the same task of the control loop
   */
  public SharedSubchannels(
      ControlLoop control,
      LbParent parent,
      Consumer<EndpointAddress> onAcquired,
      Consumer<EndpointAddress> onReleased) {
    this.control = control;
    this.parent = parent;
    this.onAcquired = onAcquired;
    this.onReleased = onReleased;
  }

  public boolean isAcquired(EndpointAddress address) {
    Shared shared = byAddress.get(address);
    return shared != null && shared.owners > 0;
  }

  /** Returns a policy's lease of an address's subchannel (see {@link LbParent#newSubchannel}). */
  public Subchannel newSubchannel(
      Backend backend, EndpointAddress address, Subchannel.Listener listener) {
    return lease(backend, address, listener, true);
  }

  /**
   * Returns a lease with which the node that owns this {@code SharedSubchannels} keeps a subchannel
   * open. {@link #isAcquired} and the callbacks consider only leases of policies.
   */
  public Subchannel keep(Backend backend, EndpointAddress address, Subchannel.Listener listener) {
    return lease(backend, address, listener, false);
  }

  private Lease lease(
      Backend backend, EndpointAddress address, Subchannel.Listener listener, boolean owner) {
    control.checkInside();
    Shared shared = byAddress.get(address);
    if (shared == null) {
      shared = new Shared(address, backend.locality());
      shared.subchannel = parent.newSubchannel(backend, address, shared);
      byAddress.put(address, shared);
    }
    var lease = new Lease(shared, backend, listener, owner);
    shared.leases.add(lease);
    shared.updateLocality();
    if (shared.state != Connectivity.IDLE) {
      control.execute(lease::reportCurrent);
    }
    if (owner && ++shared.owners == 1) {
      onAcquired.accept(address);
    }
    return lease;
  }

  private final class Shared implements Subchannel.Listener {
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
      return requireNonNull(subchannel);
    }

    /**
     * Reports each state to all leases, in the order in which the states occur. Another state may
     * occur while this method reports a state, because a policy may react to IDLE with a connection
     * request.
     */
    @Override
    public void onState(Connectivity next, RpcStatus why) {
      state = next;
      reason = why;
      changes.add(new StateChange(next, why));
      if (changes.size() > 1) {
        return; // the running loop reports this state too
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
        changes.clear(); // after an exception, later states must still be reported
      }
    }

    void onReleased(Lease lease) {
      if (!leases.remove(lease)) {
        throw new IllegalStateException(address + ": a lease was returned twice");
      }
      if (lease.owner && --owners == 0) {
        onReleased.accept(address);
      }
      if (leases.isEmpty()) {
        control.execute(this::closeIfUnused);
      } else {
        updateLocality();
      }
    }

    /** Takes the locality of the newest lease; leases with another locality will soon be closed. */
    void updateLocality() {
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

  private static final class Lease extends DelegatingSubchannel {
    private final Shared shared;
    private final Subchannel.Listener listener;
    private final boolean owner;

    /** Event loops read this field when a call ends; a briefly outdated backend is harmless. */
    private volatile Backend backend;

    private Connectivity reported = Connectivity.IDLE;
    private boolean requestIgnored;
    private boolean closed;

    Lease(Shared shared, Backend backend, Subchannel.Listener listener, boolean owner) {
      super(shared.subchannel());
      this.shared = shared;
      this.backend = backend;
      this.listener = listener;
      this.owner = owner;
    }

    void reportCurrent() {
      if (reported != shared.state) {
        report(shared.state, shared.reason);
      }
    }

    void report(Connectivity state, RpcStatus reason) {
      if (closed) {
        return;
      }
      boolean mustRepeat = requestIgnored && state == Connectivity.IDLE;
      requestIgnored = false;
      reported = state;
      listener.onState(state, reason);
      if (mustRepeat && !closed) {
        super.requestConnection();
      }
    }

    /**
     * Requests a connection. A shared subchannel that has left IDLE ignores the request. As long as
     * the last state that this lease reported is IDLE, the lease remembers the ignored request, and
     * repeats it if it reports IDLE again.
     */
    @Override
    public void requestConnection() {
      requestIgnored = reported == Connectivity.IDLE && shared.state != Connectivity.IDLE;
      super.requestConnection();
    }

    @Override
    public Backend backend() {
      return backend;
    }

    @Override
    public void update(Backend next) {
      backend = next;
      if (!closed) {
        shared.updateLocality();
      }
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        shared.onReleased(this);
      }
    }
  }
}
