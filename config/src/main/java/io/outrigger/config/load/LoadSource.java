package io.outrigger.config.load;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.bootstrap.XdsServer;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The source of load reports. The balancing half implements it, and the control plane half reads
 * it. A source keeps its counts until {@link #take} removes them.
 */
@ControlConfined
public interface LoadSource {
  /** Returns the servers for which load is counted or counts are not yet taken. */
  Set<XdsServer> servers();

  /**
   * Sets the listener that is called whenever {@link #servers} has changed. There is one listener.
   */
  void onServersChanged(Runnable listener);

  /**
   * Returns the counts for {@code server} and resets them. A cluster that the predicate {@code
   * asked} rejects keeps its counts while the cluster exists.
   *
   * @param asked accepts the names of the clusters that the server asked for
   */
  List<ClusterLoad> take(XdsServer server, Predicate<String> asked);
}
