package io.outrigger.lb.override;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Count;
import io.outrigger.base.OneTimer;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.ComposedParent;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.PublishGate;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.override.Ownership.Event;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Sends the calls of a session to the endpoint that the session used before. In the tree, the
 * override_host node is above the priorities of the cluster. A session keeps its endpoint even when
 * other calls move to another priority (A75, A55).
 *
 * <p>All policies below the override_host node share one subchannel per address (decision lb-0003).
 * After the first session, {@code OverrideHostPolicy} holds its own lease of every subchannel. This
 * lease keeps the subchannel open even after the policies below have closed their leases. {@code
 * OverrideHostPolicy} closes its own lease of a subchannel when the policies below have closed
 * theirs, and no session has used the subchannel for the idle timeout. For all cases, see {@link
 * Ownership}.
 *
 * <p>Before the first session, {@code OverrideHostPolicy} has no effect (decision lb-0014).
 *
 * <p>{@code OverrideHostPolicy} publishes the state of its child policy. Connections that are kept
 * for sessions do not change the state (A75-39).
 */
@ControlConfined
public final class OverrideHostPolicy implements LbPolicy {
  /**
   * The interval at which connections that are kept only for sessions are checked. Without
   * connections that are kept only for sessions, the timer is stopped (A75).
   */
  static final Duration SWEEP_INTERVAL = Duration.ofSeconds(5);

  private final ControlLoop control;
  private final OneTimer sweepTimer;
  private final LbParent parent;
  private final ChildSlot child;
  private final PublishGate gate = new PublishGate(this::publish);
  private final AddressMap entries;

  private LbConfig.OverrideHost config;

  /** Whether a session has made a call; before that call, {@link #entries} is empty. */
  private boolean hasSessions;

  public OverrideHostPolicy(
      ControlLoop control, PolicyFactory factory, LbConfig.OverrideHost config, LbParent parent) {
    this.control = control;
    this.sweepTimer = new OneTimer(control);
    this.parent = parent;
    this.config = config;
    this.entries = new AddressMap(control, parent, this::onEntryChange);
    this.child =
        new ChildSlot(
            factory,
            new ComposedParent(
                entries.subchannels()::newSubchannel,
                (state, picker) -> gate.request(),
                parent::requestReresolution));
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.OverrideHost) next;
    gate.publishAfter(
        () -> {
          if (hasSessions) {
            updateEntries();
          }
          child.update(config.child());
        });
  }

  private void updateEntries() {
    entries.update(config.backends(), config.statuses(), config.idleTimeout());
  }

  /** Fills the address map when the first call of a session has arrived. */
  private void onFirstSession() {
    if (!hasSessions && !gate.isClosed()) {
      hasSessions = true;
      updateEntries();
      gate.request();
    }
  }

  private void connect(AddressEntry entry) {
    entry.clearRequest();
    if (entries.contains(entry) && entry.isReachable()) {
      entry.on(Event.REQUESTED, true);
    }
  }

  private void onEntryChange(AddressEntry entry) {
    scheduleSweep();
    AddressEntry.Link link = entry.link();
    if (link == null || link.state() != Connectivity.CONNECTING) { // may end the wait of calls
      gate.requestLater(control);
    }
  }

  private void scheduleSweep() {
    if (!sweepTimer.isRunning() && entries.hasSessionEntries()) {
      sweepTimer.start(SWEEP_INTERVAL, this::sweep);
    }
  }

  private void sweep() {
    entries.sweep();
    scheduleSweep();
  }

  private void publish() {
    parent.publish(
        child.state(),
        new OverrideHostPicker(
            entries,
            hasSessions,
            control,
            this::onFirstSession,
            this::requestConnection,
            child.picker(),
            new AtomicBoolean()));
  }

  /** Any thread may call this method. */
  private void requestConnection(AddressEntry entry) {
    if (entry.markRequested()) {
      control.execute(() -> connect(entry));
    }
  }

  @Override
  public void close() {
    gate.close();
    child.close();
    entries.close();
    sweepTimer.stop();
  }

  @Override
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put(
        "override_host_status", config.statuses().stream().map(Enum::toString).sorted().toList());
    settings.put("idle_timeout", config.idleTimeout().toString());
    visitor.enter(new LbNode(name, config.policy(), child.state(), settings, detail(), isUsed));
    child.accept(visitor.mapEndpoints(this::withSessionConnection), name, true);
    Stream.concat(config.sessionOnly().stream(), config.unreachable().stream())
        .map(LbEndpoint::unconnected)
        .forEach(endpoint -> visitor.endpoint(withSessionConnection(endpoint)));
    visitor.leave();
  }

  private String detail() {
    int excluded = config.sessionOnly().size() + config.unreachable().size();
    return (hasSessions
            ? Count.of(entries.sessionEntries().size(), "connection") + " kept for sessions alone"
            : "no session so far")
        + (excluded == 0 ? "" : ", " + Count.of(excluded, "endpoint") + " left out for health");
  }

  /** Adds the connections that are kept only for sessions to the view of an endpoint. */
  private LbEndpoint withSessionConnection(LbEndpoint endpoint) {
    AddressEntry first = entries.get(endpoint.address().bare());
    if (first == null) {
      return endpoint;
    }
    LbEndpoint seen = endpoint;
    for (AddressEntry entry : entries.entriesOf(first.backend())) {
      if (entry.ownership() == Ownership.SESSIONS) {
        Connectivity state = Objects.requireNonNull(entry.link()).state();
        seen = seen.with(new LbEndpoint.Link(state, entry.calls()));
      }
    }
    return seen;
  }
}
