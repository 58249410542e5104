package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.OneTimer;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reports events of a cluster to operators: the start and the end of an outage of all endpoints,
 * and changes of the connections to endpoints. Each event is reported once.
 *
 * <pre>
 * CALM   -> OUTAGE on TRANSIENT_FAILURE, while every endpoint fails or there are no endpoints
 * OUTAGE -> CALM   on READY or IDLE
 * </pre>
 *
 * <p>A check for an outage visits all endpoints. The state of the cluster alone does not show an
 * outage: a ring_hash cluster is in TRANSIENT_FAILURE as soon as two of its endpoints fail. In
 * TRANSIENT_FAILURE, checks run until the outage is reported; one more check runs at the end of the
 * outage. A working cluster causes no checks. Even if many endpoints fail one after the other, at
 * most ten checks run in a second.
 */
@ControlConfined
final class ClusterEvents {
  private static final Duration COUNT_INTERVAL = Duration.ofMillis(100);

  private final String cluster;
  private final ControlLoop control;
  private final LbObserver observer;
  private final Consumer<EndpointTally> count;
  private Connectivity state = Connectivity.CONNECTING;
  private String lastError = "";
  private Optional<LbEvent.Outage> outage = Optional.empty();
  private final OneTimer check;
  private long nextCountNanos;

  /**
   * @param count adds the cluster's endpoints to the tally that it receives
   */
  ClusterEvents(
      String cluster, ControlLoop control, LbObserver observer, Consumer<EndpointTally> count) {
    this.cluster = cluster;
    this.control = control;
    this.observer = observer;
    this.count = count;
    this.check = new OneTimer(control);
    this.nextCountNanos = control.nanoTime();
  }

  /** Returns a listener that reports a subchannel's events and notifies the subchannel's owner. */
  Subchannel.Listener listener(EndpointAddress address, Subchannel.Listener owner) {
    return new ConnectionEvents(address, owner);
  }

  void onState(Connectivity next) {
    state = next;
    if ((outage.isPresent() ? mayBeReached() : state == Connectivity.TRANSIENT_FAILURE)
        && !check.isRunning()) {
      // The check always runs in a later task, because the tree may be in the middle of an update.
      long wait = outage.isPresent() ? 0 : nextCountNanos - control.nanoTime();
      check.start(Duration.ofNanos(wait), this::check);
    }
  }

  /**
   * Whether the next call uses a connection or, in state IDLE, opens one. State CONNECTING does not
   * end an outage.
   */
  private boolean mayBeReached() {
    return state == Connectivity.READY || state == Connectivity.IDLE;
  }

  Optional<LbEvent.Outage> outage() {
    return outage;
  }

  void close() {
    check.stop();
  }

  private void check() {
    var tally = new EndpointTally();
    count.accept(tally);
    nextCountNanos = control.nanoTime() + COUNT_INTERVAL.toNanos();
    if (outage.isPresent() && mayBeReached()) {
      outage = Optional.empty();
      observer.onEvent(
          new LbEvent.OutageOver(cluster, control.now(), state, tally.reachable(), tally.all()));
    } else if (outage.isEmpty()
        && state == Connectivity.TRANSIENT_FAILURE
        && tally.reachable() == 0) {
      var begun = new LbEvent.Outage(cluster, control.now(), tally.all(), lastError);
      outage = Optional.of(begun);
      observer.onEvent(begun);
    }
  }

  /**
   * The events of one subchannel (see {@link LbEvent.EndpointState}):
   *
   * <pre>
   * READY                 -> DISCONNECTED  on IDLE
   * any                   -> FAILING       on TRANSIENT_FAILURE, once
   * DISCONNECTED, FAILING -> READY         on READY
   * </pre>
   */
  private final class ConnectionEvents implements Subchannel.Listener {
    private enum Last {
      NEW,
      READY,
      DISCONNECTED,
      FAILING
    }

    private final EndpointAddress address;
    private final Subchannel.Listener owner;
    private Last last = Last.NEW;

    ConnectionEvents(EndpointAddress address, Subchannel.Listener owner) {
      this.address = address;
      this.owner = owner;
    }

    @Override
    public void onState(Connectivity next, RpcStatus reason) {
      Last before = last;
      last =
          switch (next) {
            case READY -> Last.READY;
            case TRANSIENT_FAILURE -> Last.FAILING;
            case IDLE -> before == Last.READY ? Last.DISCONNECTED : before;
            case CONNECTING -> before;
          };
      if (last != before && !(before == Last.NEW && last == Last.READY)) {
        lastError = reason.isOk() ? lastError : reason.message();
        observer.onEvent(new LbEvent.EndpointState(cluster, control.now(), address, next, reason));
      }
      owner.onState(next, reason);
    }

    @Override
    public void onConnection(ConnectionEvent event) {
      owner.onConnection(event);
    }
  }
}
