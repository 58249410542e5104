package io.outrigger.program.app;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.DomainMatch;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ConfigSelectors;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.tree.PickQueue;
import io.outrigger.lb.tree.PickQueue.ParkedCall;
import io.outrigger.xds.deps.XdsDependencyManager;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One xDS target: turns each configuration into a config selector and load-balancing trees.
 *
 * <p>{@link #onConfig} follows the order of A31: it updates load balancing, then the config
 * selector. Last, {@link #onConfig} releases the clusters that no route uses. Routes hold handles
 * from the {@link ClusterManager}, which therefore knows each routed cluster.
 */
@ControlConfined
public final class TargetRuntime
    implements ForwardTarget, XdsDependencyManager.Listener, ClusterManager.Listener {
  enum State {
    WAITING,
    READY,
    ERROR
  }

  private final ControlLoop control;
  private final String name;
  private final String authority;
  private final TargetReports reports;
  private final ConfigSelectors selectors;
  private final ClusterManager clusters;
  private final Function<XdsDependencyManager.Listener, Outcome<XdsDependencyManager>>
      makeDependencies;
  private final PickQueue waiting = new PickQueue();

  private volatile @Nullable ConfigSelector selector;
  private Optional<DomainMatch> domain = Optional.empty();
  private @Nullable XdsDependencyManager dependencies; // null until start()
  private boolean hadConfig;
  private boolean closed;

  /**
   * @param name is the target as configured, such as {@code xds:///orders}
   * @param makeClusters creates a cluster manager that notifies the listener in its argument
   * @param makeDependencies creates a resource graph that notifies the listener in its argument;
   *     {@link #start} calls this function, because the bootstrap may be unknown earlier
   */
  public TargetRuntime(
      ControlLoop control,
      String name,
      String authority,
      HttpFilters filters,
      boolean ignoreRouteTimeout,
      TargetReports reports,
      Function<ClusterManager.Listener, ClusterManager> makeClusters,
      Function<XdsDependencyManager.Listener, Outcome<XdsDependencyManager>> makeDependencies) {
    this.control = control;
    this.name = name;
    this.authority = authority;
    this.reports = reports;
    this.selectors = new ConfigSelectors(authority, filters, ignoreRouteTimeout);
    this.clusters = makeClusters.apply(this);
    this.makeDependencies = makeDependencies;
  }

  /** Starts to watch resources, unless already started. Must run on the control loop. */
  public void start() {
    control.checkInside();
    if (dependencies != null || closed) {
      return; // a target that was created while the bootstrap was read may be started twice
    }
    Outcome<XdsDependencyManager> made = makeDependencies.apply(this);
    if (made instanceof Outcome.Ok<XdsDependencyManager> ok) {
      dependencies = ok.value();
      ok.value().start();
    } else {
      publish(selectors.failing(made.status()));
      reports.onFailure(made.status());
    }
  }

  /** Ends the watches of the target's resources; later requests to the target fail. */
  void close() {
    control.checkInside();
    if (closed) {
      return;
    }
    closed = true;
    if (dependencies != null) {
      dependencies.close();
    }
    publish(
        ConfigSelector.failing(RpcStatus.unavailable("target " + name + " was released"), true));
    clusters.close();
  }

  @Override
  public void onConfig(Outcome<XdsConfig> config) {
    control.checkInside();
    if (closed) {
      return;
    }
    Set<String> routed;
    if (config instanceof Outcome.Ok<XdsConfig> ok) {
      Map<String, ClusterHandle> handles = clusters.apply(ok.value());
      publish(selectors.next(ok.value(), handles));
      routed = ok.value().virtualHost().clusters();
      domain = ok.value().routes().match(authority);
      hadConfig = true;
      reports.onReady(ok.value());
    } else {
      publish(selectors.failing(config.status()));
      reports.onFailure(config.status());
      domain = Optional.empty();
      routed = Set.of();
    }
    clusters.retire(routed);
    keepLiveClusters();
  }

  @Override
  public void onClusters(Map<String, Outcome<ClusterConfig>> changed) {
    if (!closed) {
      clusters.update(changed);
    }
  }

  @Override
  public void onClustersChanged() {
    if (!closed) {
      keepLiveClusters();
    }
  }

  @Override
  public void onReresolution() {
    if (!closed && dependencies != null) {
      dependencies.requestReresolution();
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String authority() {
    return authority;
  }

  @Override
  public @Nullable ConfigSelector selector() {
    return selector;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // selectors are compared by identity
  public long park(ParkedCall call, @Nullable ConfigSelector seen) {
    return waiting.park(call, () -> selector != seen);
  }

  @Override
  public boolean unpark(long ticket) {
    return waiting.unpark(ticket);
  }

  /** Whether the target has ever had a configuration that can route (CONTRACT {@code /ready}). */
  boolean hadConfig() {
    control.checkInside();
    return hadConfig;
  }

  State state() {
    ConfigSelector current = selector;
    if (current == null) {
      return State.WAITING;
    }
    return current.failure().isPresent() ? State.ERROR : State.READY;
  }

  /**
   * Returns why all requests of the target fail, or for which resource the first configuration
   * waits.
   */
  Optional<String> error() {
    control.checkInside();
    ConfigSelector current = selector;
    if (current != null) {
      return current.failure().map(RpcStatus::toString);
    }
    return Optional.ofNullable(dependencies)
        .flatMap(XdsDependencyManager::waitingFor)
        .map(resource -> "waiting for " + resource);
  }

  /** Returns true if requests wait for the target, or if clusters of the target are in use. */
  boolean isInUse() {
    control.checkInside();
    return waiting.size() > 0 || clusters.isInUse();
  }

  ClusterManager clusters() {
    return clusters;
  }

  Optional<DomainMatch> domain() {
    control.checkInside();
    return domain;
  }

  private void keepLiveClusters() {
    if (dependencies != null) {
      dependencies.keep(clusters.live());
    }
  }

  private void publish(ConfigSelector next) {
    selector = next;
    waiting.wakeAll();
  }
}
