package io.outrigger.lb.outlier;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.CallCounts;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.OutlierEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls, the ejection state, the subchannels and the latest events of one endpoint, over all
 * its addresses (A50-48).
 *
 * <p>A50 swaps two buckets at each sweep, and may lose a call that ends meanwhile. This class never
 * resets its counts: the calls of an interval are the difference between two readings (decision
 * lb-0012).
 */
@ControlConfined
final class EndpointTracker {
  static final int HISTORY = 50;

  private final EndpointAddress address;
  private final Supplier<CallCounts> newCounts;
  private final List<EjectableSubchannel> subchannels = new ArrayList<>(1);
  private final ArrayDeque<OutlierEvent> history = new ArrayDeque<>(0);
  private EjectionState state = EjectionState.NEW;
  private boolean counting;

  /** Null until the first subchannel is counted, to save memory in large clusters. */
  private @Nullable CallCounts counts;

  private SubchannelCalls read = SubchannelCalls.NONE;
  private IntervalCalls last = IntervalCalls.NONE;

  EndpointTracker(EndpointAddress address, Supplier<CallCounts> newCounts) {
    this.address = address;
    this.newCounts = newCounts;
  }

  EndpointAddress address() {
    return address;
  }

  EjectionState state() {
    return state;
  }

  boolean isEjected() {
    return state instanceof EjectionState.Ejected;
  }

  IntervalCalls last() {
    return last;
  }

  LbEndpoint.Detection describe(OutlierDetection config) {
    Optional<LbEndpoint.Ejection> ejection =
        state instanceof EjectionState.Ejected ejected
            ? Optional.of(
                new LbEndpoint.Ejection(
                    ejected.startTime(),
                    ejected.until(config),
                    ejected.multiplier(),
                    ejected.method()))
            : Optional.empty();
    return new LbEndpoint.Detection(
        ejection, last.succeeded(), last.failed(), List.copyOf(history));
  }

  List<EjectableSubchannel> subchannels() {
    return List.copyOf(subchannels);
  }

  void addToHistory(OutlierEvent event) {
    if (history.size() == HISTORY) {
      history.remove();
    }
    history.add(event);
  }

  /**
   * Switches the counting of calls on or off. When counting is switched on, the counts start at
   * zero (A50-42).
   */
  void setCounting(boolean on) {
    if (counting != on) {
      counting = on;
      read = totals();
      last = IntervalCalls.NONE;
      subchannels.forEach(each -> each.setCounts(countsForSubchannels()));
    }
  }

  void endInterval() {
    SubchannelCalls now = totals();
    last = new IntervalCalls(now.succeeded() - read.succeeded(), now.failed() - read.failed());
    read = now;
  }

  private SubchannelCalls totals() {
    return counts == null ? SubchannelCalls.NONE : counts.totals();
  }

  private @Nullable CallCounts countsForSubchannels() {
    if (!counting) {
      return null;
    }
    if (counts == null) {
      counts = newCounts.get();
    }
    return counts;
  }

  /** Sets the endpoint's state, and updates its subchannels when an ejection begins or ends. */
  void setState(EjectionState next) {
    boolean before = isEjected();
    state = next;
    if (isEjected() != before) {
      subchannels().forEach(this::applyEjection); // a copy, because owners may add subchannels
    }
  }

  /**
   * Adds a subchannel and starts to count its calls. The caller must apply the current ejection
   * with {@link #applyEjection}.
   */
  void add(EjectableSubchannel subchannel) {
    subchannels.add(subchannel);
    subchannel.setCounts(countsForSubchannels());
  }

  /** Removes a subchannel; calls of a removed subchannel that end later are not counted. */
  void remove(EjectableSubchannel subchannel) {
    subchannels.remove(subchannel);
    subchannel.setCounts(null);
  }

  void applyEjection(EjectableSubchannel subchannel) {
    if (state instanceof EjectionState.Ejected ejected) {
      subchannel.eject(reason(ejected));
    } else {
      subchannel.uneject();
    }
  }

  /** Returns the status with which calls fail if all endpoints are ejected (A50-39). */
  private RpcStatus reason(EjectionState.Ejected ejected) {
    return RpcStatus.unavailable(
        address + " is ejected by outlier detection (" + ejected.method().word() + ")");
  }

  /** Ejects a subchannel whose owner has not received a state yet (A50-38). */
  void startEjected(EjectableSubchannel subchannel, ControlLoop control) {
    if (state instanceof EjectionState.Ejected ejected) {
      subchannel.startEjected(reason(ejected), control);
    }
  }

  /** The calls to an endpoint that ended in one interval. */
  record IntervalCalls(long succeeded, long failed) {
    static final IntervalCalls NONE = new IntervalCalls(0, 0);

    long volume() {
      return succeeded + failed;
    }

    /**
     * Whether the interval had at least {@code requestVolume} calls, and at least one call
     * (A50-56).
     */
    boolean hasVolume(long requestVolume) {
      return volume() > 0 && volume() >= requestVolume;
    }

    /** The fraction of calls that succeeded; undefined unless {@link #hasVolume} is true. */
    double successRate() {
      return (double) succeeded / volume();
    }
  }
}
