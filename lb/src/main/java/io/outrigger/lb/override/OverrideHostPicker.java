package io.outrigger.lb.override;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.SessionHint;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.Connectivity;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Picks as A75 requires. The call of a session gets the first preferred endpoint that is READY. If
 * no preferred endpoint is READY, the call waits for one of them: the first that is IDLE, else the
 * first that is CONNECTING, else the first without a connection. If no preferred endpoint can be
 * used, or the call has no session, the child policy picks.
 *
 * <p>The first call of a session in a cluster waits while the control loop fills the address map.
 *
 * <p>The address entries change while the picker is in use. After every change that may end the
 * wait of a call, a new picker is published and picks for every waiting call.
 *
 * @param fill fills the address map and publishes another picker; posted to the control loop if
 *     {@code isFilled} is false
 * @param connect posts a task that connects an entry; called on any event loop
 * @param fillRequested whether this picker has already posted the task {@code fill}
 */
@AnyThread
record OverrideHostPicker(
    AddressMap entries,
    boolean isFilled,
    ControlLoop control,
    Runnable fill,
    Consumer<AddressEntry> connect,
    Picker child,
    AtomicBoolean fillRequested)
    implements Picker {
  private static final PickResult WAITS =
      PickResult.Queue.connecting(
          "xds_override_host: waiting for the endpoint of the session to connect");

  @Override
  public PickResult pick(PickContext call) {
    SessionHint session = call.session();
    if (session == null) {
      return child.pick(call);
    }
    if (!isFilled) {
      if (!fillRequested.get() && fillRequested.compareAndSet(false, true)) {
        control.execute(fill);
      }
      return WAITS;
    }
    AddressEntry preferred = choose(session.preferred());
    return preferred == null ? pickAny(call, session) : pickPreferred(preferred, session);
  }

  @Override
  public PickPlan plan(PlannedCall call) {
    if (call.session().isEmpty()) {
      return child.plan(call);
    }
    List<EndpointAddress> preferred = call.session().get();
    var candidates =
        preferred.stream()
            .map(each -> new PickPlan.OverrideCandidate(each, describe(each)))
            .toList();
    if (!isFilled) {
      PickPlan rest = preferred.isEmpty() ? child.plan(call) : new PickPlan.Certain(WAITS);
      return new PickPlan.Preferring(candidates, PickPlan.OverrideOutcome.NOT_LOOKED_UP, rest);
    }
    AddressEntry chosen = choose(preferred);
    if (chosen == null) {
      return new PickPlan.Preferring(candidates, PickPlan.OverrideOutcome.LOST, child.plan(call));
    }
    AddressEntry.Link link = chosen.link();
    var kept = new PickPlan.Certain(link != null && link.use() != null ? link.use() : WAITS);
    return new PickPlan.Preferring(candidates, PickPlan.OverrideOutcome.KEPT, kept);
  }

  private String describe(EndpointAddress address) {
    if (!isFilled) {
      return "not looked up before a first session";
    }
    AddressEntry entry = entries.get(address);
    if (entry == null) {
      return "not in the cluster";
    }
    if (!entry.isReachable()) {
      return "its health keeps sessions away";
    }
    AddressEntry.Link link = entry.link();
    return link == null ? "not connected" : link.state().toString();
  }

  /**
   * Returns the entry of a preferred endpoint that the call uses or waits for; null if no preferred
   * endpoint can be used.
   */
  private @Nullable AddressEntry choose(List<EndpointAddress> preferred) {
    AddressEntry idle = null;
    AddressEntry connecting = null;
    AddressEntry unconnected = null;
    for (int i = 0; i < preferred.size(); i++) {
      AddressEntry entry = entries.get(preferred.get(i));
      if (entry == null || !entry.isReachable()) {
        continue; // A75-33
      }
      AddressEntry.Link link = entry.link();
      if (link == null) {
        unconnected = unconnected == null ? entry : unconnected;
        continue;
      }
      switch (link.state()) {
        case READY -> {
          return entry;
        }
        case IDLE -> idle = idle == null ? entry : idle;
        case CONNECTING -> connecting = connecting == null ? entry : connecting;
        case TRANSIENT_FAILURE -> {} // A75-32
      }
    }
    if (idle != null) {
      return idle;
    }
    return connecting != null ? connecting : unconnected;
  }

  /** Picks {@code entry}. Unless the endpoint is READY, the call waits for a new picker. */
  private PickResult pickPreferred(AddressEntry entry, SessionHint session) {
    entry.recordUse(control.nanoTime());
    AddressEntry.Link link = entry.link();
    PickResult use = link == null ? null : link.use();
    if (use != null) {
      session.picked(entry.addresses());
      return use;
    }
    if (link == null || link.state() == Connectivity.IDLE) {
      connect.accept(entry);
    }
    return WAITS;
  }

  private PickResult pickAny(PickContext call, SessionHint session) {
    PickResult result = child.pick(call);
    if (result instanceof PickResult.Use use) {
      Subchannel subchannel = use.subchannel();
      EndpointAddress address = subchannel.address();
      AddressEntry entry = entries.get(address.bare());
      if (entry == null) { // the endpoint has just left the cluster
        session.picked(AddressEntry.addresses(address, subchannel.backend().endpoint()));
      } else {
        entry.recordUse(control.nanoTime());
        session.picked(entry.addresses());
      }
    }
    return result;
  }
}
