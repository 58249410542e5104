package io.outrigger.lb.outlier;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.CallCounts;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.ComposedParent;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Ejects outliers among the endpoints of a cluster. The outlier_detection node is above the
 * cluster's priorities in the tree (A50, A75).
 *
 * <p>The policy wraps every subchannel of the nodes below, in order to count the results of calls
 * on each event loop. Once per interval, a sweep reads the counts, finds the outliers by two
 * algorithms, and ejects as many outliers as the budget allows. The policies below the node receive
 * TRANSIENT_FAILURE for an ejected endpoint, and use other endpoints or another priority. An
 * ejected endpoint's connection stays open.
 *
 * <p>The tracker of an endpoint survives every update that keeps the endpoint's set of addresses.
 * While no algorithm is configured, no call is counted, no timer runs, and no endpoint is ejected
 * (A50-04).
 */
@ControlConfined
public final class OutlierDetectionPolicy implements LbPolicy {
  private final ControlLoop control;
  private final LbParent parent;
  private final ChildSlot child;
  private final TrackerTable trackers;
  private final Detector detector;
  private final SweepTimer timer;

  private LbConfig.OutlierDetecting config;

  /** Whether an algorithm was ever configured; if not, subchannels have no tracker. */
  private boolean isTracking;

  public OutlierDetectionPolicy(
      LbContext context, PolicyFactory factory, LbConfig.OutlierDetecting config, LbParent parent) {
    this.control = context.control();
    this.parent = parent;
    this.config = config;
    this.child =
        new ChildSlot(
            factory,
            new ComposedParent(this::newSubchannel, parent::publish, parent::requestReresolution));
    this.trackers = new TrackerTable(() -> new CallCounts(context.loops()));
    this.detector = new Detector(context);
    this.timer = new SweepTimer(control, this::sweep);
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.OutlierDetecting) next;
    isTracking |= active().isPresent();
    if (isTracking) {
      trackers.update(config.backends());
    }
    child.update(config.child());
    if (isTracking) {
      trackers.reassignOrphans();
    }
    active().ifPresentOrElse(this::switchOn, this::switchOff);
  }

  private Optional<OutlierDetection> active() {
    return config
        .detection()
        .filter(
            detection ->
                detection.successRate().isPresent() || detection.failurePercentage().isPresent());
  }

  private void switchOn(OutlierDetection detection) {
    trackers.setCounting(true);
    timer.run(detection.interval());
  }

  private void switchOff() {
    timer.stop();
    trackers.setCounting(false);
    detector.unejectAll(config.cluster(), trackers.all());
  }

  private void sweep(SweepTimer.Start start) {
    detector.sweep(start, config.cluster(), active().orElseThrow(), trackers.all());
  }

  @Override
  public void close() {
    timer.stop();
    child.close();
  }

  @Override
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    Optional<OutlierDetection> active = active();
    Map<String, Object> settings = active.map(OutlierDetectionPolicy::settings).orElse(Map.of());
    List<EndpointTracker> all = trackers.all();
    long ejected = all.stream().filter(EndpointTracker::isEjected).count();
    String detail =
        active.isPresent() ? ejected + " of " + all.size() + " endpoints are ejected" : "";
    visitor.enter(new LbNode(name, config.policy(), child.state(), settings, detail, isUsed));
    child.accept(
        active
            .map(detection -> visitor.mapEndpoints(each -> withDetection(each, detection)))
            .orElse(visitor),
        name,
        true);
    visitor.leave();
  }

  private LbEndpoint withDetection(LbEndpoint endpoint, OutlierDetection detection) {
    EndpointTracker tracker = trackers.of(endpoint.address());
    return tracker == null ? endpoint : endpoint.with(tracker.describe(detection));
  }

  private static Map<String, Object> settings(OutlierDetection detection) {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("interval", detection.interval().toString());
    settings.put("base_ejection_time", detection.baseEjectionTime().toString());
    settings.put("max_ejection_time", detection.maxEjectionTime().toString());
    settings.put("max_ejection_percent", detection.maxEjectionPercent());
    detection
        .successRate()
        .ifPresent(
            algorithm -> {
              settings.put("success_rate_stdev_factor", algorithm.stdevFactor());
              settings.put("enforcing_success_rate", algorithm.enforcement());
              settings.put("success_rate_minimum_hosts", algorithm.minimumHosts());
              settings.put("success_rate_request_volume", algorithm.requestVolume());
            });
    detection
        .failurePercentage()
        .ifPresent(
            algorithm -> {
              settings.put("failure_percentage_threshold", algorithm.threshold());
              settings.put("enforcing_failure_percentage", algorithm.enforcement());
              settings.put("failure_percentage_minimum_hosts", algorithm.minimumHosts());
              settings.put("failure_percentage_request_volume", algorithm.requestVolume());
            });
    return settings;
  }

  private Subchannel newSubchannel(
      Backend backend, EndpointAddress address, Subchannel.Listener listener) {
    var wrapper = new EjectableSubchannel(address, listener, trackers::remove);
    wrapper.wrap(parent.newSubchannel(backend, address, wrapper));
    trackers.add(wrapper, control);
    return wrapper;
  }
}
