package io.outrigger.lb.load;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.load.ClusterLoad;
import io.outrigger.config.load.LoadSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The counts of the whole process for load reports, by server, cluster and EDS service name. All
 * users of a cluster share its counts, whether they reach the cluster through an aggregate or
 * another listener (A27, A71-09).
 */
@ControlConfined
public final class LoadRegistry implements LoadSource {
  private final ControlLoop control;
  private final Map<XdsServer, ServerLoads> servers = new LinkedHashMap<>();
  private Runnable listener = () -> {};

  /** Creates a registry without counts; any thread may create it. */
  public LoadRegistry(ControlLoop control) {
    this.control = control;
  }

  /**
   * Starts to collect the counts of {@code meter}.
   *
   * @return the sums to which the meter adds counts that will be unavailable at the next collection
   */
  public LoadSums join(XdsServer server, String cluster, String edsServiceName, LoadMeter meter) {
    control.checkInside();
    boolean isNew = !servers.containsKey(server);
    LoadSums sums =
        servers
            .computeIfAbsent(server, absent -> new ServerLoads(control))
            .join(new ServerLoads.Key(cluster, edsServiceName), meter);
    if (isNew) {
      listener.run();
    }
    return sums;
  }

  /**
   * Collects the last counts of {@code meter} for {@code server}; the meter counts for another
   * server from now on, or for no server.
   */
  public void leave(XdsServer server, String cluster, String edsServiceName, LoadMeter meter) {
    control.checkInside();
    loads(server).leave(new ServerLoads.Key(cluster, edsServiceName), meter);
  }

  /**
   * Called when a meter of the cluster starts no more calls; the registry removes the meter once
   * its calls have ended.
   */
  public void onClosed(XdsServer server, String cluster, String edsServiceName) {
    control.checkInside();
    loads(server).close(new ServerLoads.Key(cluster, edsServiceName));
  }

  @Override
  public Set<XdsServer> servers() {
    control.checkInside();
    return Set.copyOf(servers.keySet());
  }

  @Override
  public void onServersChanged(Runnable changed) {
    control.checkInside();
    listener = changed;
  }

  @Override
  public List<ClusterLoad> take(XdsServer server, Predicate<String> asked) {
    control.checkInside();
    ServerLoads loads = servers.get(server);
    if (loads == null) {
      return List.of();
    }
    List<ClusterLoad> taken = loads.take(asked);
    if (loads.isEmpty()) {
      servers.remove(server);
      listener.run();
    }
    return taken;
  }

  private ServerLoads loads(XdsServer server) {
    return Objects.requireNonNull(
        servers.get(server), () -> "nothing is counted for " + server.uri());
  }
}
