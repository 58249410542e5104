package io.outrigger.lb.override;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.TimerHandle;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.ComposedParent;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.PublishGate;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.override.Ownership.Event;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.subchannel.SharedSubchannels;
import io.outrigger.lb.view.NodeHead;
import io.outrigger.lb.view.NodeVisitor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends the calls of a session to the endpoint that the session used before; the node stands above
 * the priorities of the cluster, so that a session keeps its endpoint when balancing moves to
 * another priority (A75, A55).
 *
 * <p>All policies beneath share one subchannel per address (lb decision lb-0003). After the first
 * session this node holds its own lease of every connection: a connection that sessions use and
 * that the policies beneath close is kept by this node until no session has used it for the idle
 * timeout ({@link Ownership}). Before the first session the node has no effect (decision lb-0014).
 *
 * <p>The node publishes the state of its child policy: connections that are kept for sessions do
 * not change the state of the cluster (A75-39).
 */
@ControlConfined
public final class OverrideHostPolicy implements LbPolicy {
  /**
   * The time between two checks of the connections that are kept only for sessions; there are no
   * checks while there is no such connection (A75).
   */
  static final Duration SWEEP_INTERVAL = Duration.ofSeconds(5);

  private final ControlLoop control;
  private final LbParent parent;
  private final SharedSubchannels subchannels;
  private final ChildSlot child;
  private final PublishGate gate = new PublishGate(this::publish);

  private LbConfig.OverrideHost config;
  private @Nullable AddressMap entries;
  private @Nullable TimerHandle sweepTimer;
  private boolean publishPosted;
  private boolean closed;

  public OverrideHostPolicy(
      ControlLoop control, PolicyFactory factory, LbConfig.OverrideHost config, LbParent parent) {
    this.control = control;
    this.parent = parent;
    this.config = config;
    this.subchannels = new SharedSubchannels(control, parent);
    this.child =
        new ChildSlot(
            factory,
            new ComposedParent(
                subchannels::newSubchannel,
                (state, picker) -> gate.request(),
                parent::requestReresolution));
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.OverrideHost) next;
    gate.publishAfter(
        () -> {
          if (entries != null) {
            updateHosts(entries);
          }
          child.update(config.child());
        });
  }

  private void updateHosts(AddressMap table) {
    table.update(config.backends(), config.statuses(), config.idleTimeout());
  }

  /** Builds the address map when the first call of a session arrives. */
  private void prepare() {
    if (closed || entries != null) {
      return;
    }
    var table = new AddressMap(control, subchannels, this::onHostChange);
    subchannels.observe(table);
    updateHosts(table);
    entries = table;
    gate.request();
  }

  /** Connects {@code entry}, for which a session's call waits. */
  private void connect(AddressEntry entry) {
    entry.answered();
    if (entries != null && entries.has(entry) && entry.isReachable()) {
      entry.on(Event.ASKED, true);
    }
  }

  private void onHostChange(AddressEntry entry) {
    sweepLater();
    AddressEntry.Link link = entry.link();
    if (link == null || link.state() != Connectivity.CONNECTING) { // other states may end the wait
      publishSoon();
    }
  }

  private void sweepLater() {
    if (sweepTimer == null && !closed && entries != null && entries.isKeeping()) {
      sweepTimer = control.schedule(SWEEP_INTERVAL, this::sweep);
    }
  }

  private void sweep() {
    sweepTimer = null;
    if (entries != null) {
      entries.sweep();
      sweepLater();
    }
  }

  /** Publishes once for all changes in this turn of the control loop. */
  private void publishSoon() {
    if (!publishPosted) {
      publishPosted = true;
      control.execute(
          () -> {
            publishPosted = false;
            gate.request();
          });
    }
  }

  private void publish() {
    if (closed) {
      return;
    }
    Picker picker =
        entries == null
            ? new FirstSessionPicker(() -> control.execute(this::prepare), child.picker())
            : new OverrideHostPicker(entries, control, this::ask, child.picker());
    parent.publish(child.state(), picker);
  }

  /**
   * Requests the connection of {@code entry}; called on any event loop, by any number of calls that
   * wait for the entry.
   */
  private void ask(AddressEntry entry) {
    if (entry.ask()) {
      control.execute(() -> connect(entry));
    }
  }

  @Override
  public void close() {
    closed = true;
    child.close();
    if (entries != null) {
      entries.close();
    }
    if (sweepTimer != null) {
      sweepTimer.cancel();
    }
  }

  @Override
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    var view = new AffinityView(entries);
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put(
        "override_host_status", config.statuses().stream().map(Enum::toString).sorted().toList());
    settings.put("idle_timeout", config.idleTimeout().toString());
    visitor.enter(
        new NodeHead(name, config.policy(), child.state(), settings, view.detail(config), isUsed));
    child.accept(visitor.mapEndpoints(view::seen), name, true);
    view.unbalanced(config).forEach(visitor::endpoint);
    visitor.leave();
  }
}
