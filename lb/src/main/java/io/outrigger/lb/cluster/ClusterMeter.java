package io.outrigger.lb.cluster;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.LoadReporting;
import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.load.LoadRegistry.LoadMeter;
import io.outrigger.lb.load.LoadSums;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects the counts of one cluster_impl policy for load reports: the calls of its subchannels,
 * and the calls that the policy dropped.
 *
 * <p>The meter reads the counters of a subchannel when a report is due, and before the endpoint of
 * the subchannel moves to another locality. The calls that were counted between two readings are
 * therefore reported for the locality in which the endpoint was at that time (decision lb-0015). A
 * closed subchannel is read until its last call has ended.
 */
@ControlConfined
final class ClusterMeter implements LoadMeter {
  private final LoadRegistry registry;
  private final String cluster;
  private final Set<CountedSubchannel> inUse = new HashSet<>();
  private final Set<CountedSubchannel> ending = new HashSet<>();
  private final DropCounts drops;
  private String edsServiceName = "";
  private Optional<LoadReporting> reporting = Optional.empty();
  private LoadRegistry.@Nullable Counts counts; // null if no load is reported
  private boolean closed;
  private volatile FailureNote note;

  ClusterMeter(LoadRegistry registry, String cluster, DropCounts drops) {
    this.registry = registry;
    this.cluster = cluster;
    this.note = new FailureNote(cluster, "");
    this.drops = drops;
  }

  /**
   * Reports all further counts to the given server, under the given service name. The previous
   * server receives all earlier counts, under the previous name.
   */
  void report(String serviceName, Optional<LoadReporting> next) {
    if (serviceName.equals(edsServiceName) && next.equals(reporting)) {
      return;
    }
    Optional<XdsServer> before = server();
    reporting = next;
    if (!before.equals(server()) || !serviceName.equals(edsServiceName)) {
      if (counts == null) {
        collect(new LoadSums()); // discards counts that no server wants
      } else {
        counts.leave(this);
      }
      edsServiceName = serviceName;
      counts = server().map(to -> registry.join(to, cluster, serviceName, this)).orElse(null);
    }
    PropagatedMetrics metrics = metrics();
    inUse.forEach(subchannel -> subchannel.propagate(metrics));
  }

  /** The name and the resolution note of the leaf cluster; any thread may call this method. */
  FailureNote note() {
    return note;
  }

  void note(FailureNote next) {
    note = next;
  }

  Optional<XdsServer> server() {
    return reporting.map(LoadReporting::server);
  }

  Set<CountedSubchannel> inUse() {
    return inUse;
  }

  void add(CountedSubchannel subchannel) {
    inUse.add(subchannel);
    subchannel.propagate(metrics());
  }

  /**
   * Collects the counts of a subchannel before its locality or metrics change, because these counts
   * belong to the old locality and metrics.
   */
  void beforeChange(CountedSubchannel subchannel) {
    if (counts != null) {
      subchannel.collect(counts.sums());
    }
  }

  void onSubchannelClosed(CountedSubchannel subchannel) {
    if (inUse.remove(subchannel) && counts != null) {
      ending.add(subchannel);
    }
  }

  /** Called when the cluster_impl policy closes. Calls in progress are counted until they end. */
  void close() {
    closed = true;
    ending.addAll(inUse);
    inUse.clear();
    if (counts != null) {
      counts.onClosed();
    }
  }

  @Override
  public void collect(LoadSums into) {
    inUse.forEach(subchannel -> subchannel.collect(into));
    ending.forEach(subchannel -> subchannel.collect(into));
    ending.removeIf(CountedSubchannel::isOver);
    drops.collect(into);
  }

  @Override
  public boolean isOver() {
    return closed && ending.isEmpty();
  }

  private PropagatedMetrics metrics() {
    return reporting.map(LoadReporting::metrics).orElse(PropagatedMetrics.NONE);
  }
}
