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
 * One endpoint with all its addresses (A50-48): its calls, its ejection, its subchannels, its
 * latest events.
 *
 * <p>A50 swaps two buckets at each sweep. Here counts only grow, and an interval is the difference
 * between two readings: the same numbers, without a swap that a call could fall into (decision
 * 0012).
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

  /**
   * Made for the first subchannel that counts: most endpoints of a large cluster never have one.
   */
  private @Nullable CallCounts counts;

  private SubchannelCalls read = SubchannelCalls.NONE;
  private IntervalCalls last = IntervalCalls.NONE;

  EndpointTracker(EndpointAddress address, Supplier<CallCounts> newCounts) {
    this.address = address;
    this.newCounts = newCounts;
  }

  /** The address by which people know the endpoint. */
  EndpointAddress address() {
    return address;
  }

  EjectionState state() {
    return state;
  }

  boolean isEjected() {
    return state instanceof EjectionState.Ejected;
  }

  /** Calls that ended in the last whole interval. */
  IntervalCalls last() {
    return last;
  }

  /** Whether nothing has happened to it, and nothing was counted in the last interval. */
  boolean isQuiet() {
    return history.isEmpty() && last.volume() == 0;
  }

  /** For status views; {@code config} decides how long an ejection lasts. */
  LbEndpoint.Detection describe(OutlierDetection config) {
    if (isQuiet()) {
      return LbEndpoint.Detection.NONE;
    }
    Optional<LbEndpoint.Ejection> ejection =
        state instanceof EjectionState.Ejected ejected
            ? Optional.of(
                new LbEndpoint.Ejection(
                    ejected.since(), ejected.until(config), ejected.multiplier(), ejected.by()))
            : Optional.empty();
    return new LbEndpoint.Detection(
        ejection, last.succeeded(), last.failed(), List.copyOf(history));
  }

  List<EjectableSubchannel> subchannels() {
    return List.copyOf(subchannels);
  }

  void remember(OutlierEvent event) {
    if (history.size() == HISTORY) {
      history.remove();
    }
    history.add(event);
  }

  /** Whether calls are counted. Switched on, it begins with nothing (A50-42). */
  void count(boolean on) {
    if (counting != on) {
      counting = on;
      read = totals();
      last = IntervalCalls.NONE;
      subchannels.forEach(each -> each.countIn(countsForSubchannels()));
    }
  }

  /** Ends the interval: its counts are in {@link #last}. */
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

  /** Takes {@code next}, and updates the subchannels when the ejection begins or ends. */
  void become(EjectionState next) {
    boolean before = isEjected();
    state = next;
    if (isEjected() != before) {
      subchannels().forEach(this::applyEjection); // a copy: owners may ask for more
    }
  }

  /** Adds a subchannel: its calls count here. {@link #applyEjection} applies the ejection to it. */
  void add(EjectableSubchannel subchannel) {
    subchannels.add(subchannel);
    subchannel.countIn(countsForSubchannels());
  }

  /** Removes a subchannel; calls that it still has count nowhere. */
  void remove(EjectableSubchannel subchannel) {
    subchannels.remove(subchannel);
    subchannel.countIn(null);
  }

  /** Brings {@code subchannel}, one of this endpoint's, in line with the ejection in force. */
  void applyEjection(EjectableSubchannel subchannel) {
    if (state instanceof EjectionState.Ejected ejected) {
      subchannel.eject(reason(ejected));
    } else {
      subchannel.uneject();
    }
  }

  /** The status of calls that find only ejected endpoints (A50-39). */
  private RpcStatus reason(EjectionState.Ejected ejected) {
    return RpcStatus.unavailable(
        address + " is ejected by outlier detection (" + ejected.by().word() + ")");
  }

  /** A subchannel whose owner got no state yet starts out ejected (A50-38). */
  void startOut(EjectableSubchannel subchannel, ControlLoop control) {
    if (state instanceof EjectionState.Ejected ejected) {
      subchannel.startEjected(reason(ejected), control);
    }
  }
}
