package io.outrigger.lb.outlier;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.CallCounts;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A subchannel that can be ejected (A50 "Subchannel Wrapper"). An ejected subchannel reports
 * TRANSIENT_FAILURE to its owner instead of the states of the connection, which stays open
 * (A50-36). At the end of the ejection, the subchannel reports the connection's state (A50-37).
 *
 * <p>States and ejections are handled on the control loop. Calls are counted on their event loops,
 * in the counts of the current tracker. While detection is off, no call is counted.
 */
@AnyThread
final class EjectableSubchannel extends DelegatingSubchannel implements Subchannel.Listener {
  private final EndpointAddress address;
  private final Subchannel.Listener owner;
  private final Consumer<EjectableSubchannel> onClose;
  private Connectivity state = Connectivity.IDLE;
  private RpcStatus reason = RpcStatus.OK;
  private @Nullable EndpointTracker tracker;
  private boolean ejected;
  private boolean closed;

  private volatile @Nullable CallCounts counts;

  /** Creates the wrapper; {@link #wrap} must set the wrapped subchannel before any other use. */
  EjectableSubchannel(
      EndpointAddress address, Subchannel.Listener owner, Consumer<EjectableSubchannel> onClose) {
    this.address = address;
    this.owner = owner;
    this.onClose = onClose;
  }

  @Override
  public EndpointAddress address() {
    return address;
  }

  /** Assigns this subchannel to a tracker, or to none (null) when no endpoint has its address. */
  void setTracker(@Nullable EndpointTracker next) {
    if (tracker != next) {
      if (tracker != null) {
        tracker.remove(this);
      }
      tracker = next;
      if (next != null) {
        next.add(this);
      }
    }
  }

  /** Sets the counts to which later calls are added; null switches counting off. */
  void setCounts(@Nullable CallCounts next) {
    counts = next;
  }

  /**
   * Ejects a new subchannel, whose owner has received no state yet. The owner gets
   * TRANSIENT_FAILURE in a later task of the control loop.
   */
  void startEjected(RpcStatus why, ControlLoop control) {
    ejected = true;
    control.execute(
        () -> {
          if (ejected) {
            report(Connectivity.TRANSIENT_FAILURE, why);
          }
        });
  }

  /** Ejects the subchannel, if not yet ejected, and reports TRANSIENT_FAILURE to the owner. */
  void eject(RpcStatus why) {
    if (!ejected) {
      ejected = true;
      report(Connectivity.TRANSIENT_FAILURE, why);
    }
  }

  void uneject() {
    if (ejected) {
      ejected = false;
      report(state, reason);
    }
  }

  @Override
  public void onState(Connectivity next, RpcStatus why) {
    state = next;
    reason = why;
    if (!ejected) {
      report(next, why);
    }
  }

  @Override
  public void onConnection(ConnectionEvent event) {
    if (!closed) {
      owner.onConnection(event);
    }
  }

  private void report(Connectivity next, RpcStatus why) {
    if (!closed) {
      owner.onState(next, why);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      onClose.accept(this);
      super.close();
    }
  }

  @Override
  public void callEnded(PickContext call, CallOutcome outcome) {
    CallCounts current = counts;
    if (current != null) {
      current.onEnded(call.loop(), outcome);
    }
    super.callEnded(call, outcome);
  }
}
