package io.outrigger.config.load;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.bootstrap.XdsServer;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The source of load reports: the load balancer implements this interface, and the xDS client calls
 * it. A source keeps its counts until {@link #take} removes them.
 */
@ControlConfined
public interface LoadSource {
  /** Returns the servers for which load is being counted, or whose counts are not yet taken. */
  Set<XdsServer> servers();

  /** Sets the listener, which is called whenever {@link #servers} has changed. */
  void onServersChanged(Runnable listener);

  /**
   * Returns and resets the counts for {@code server}. A cluster whose load the server did not
   * request keeps its counts while the cluster exists.
   *
   * @param asked a predicate that accepts the names of the clusters whose load the server requested
   */
  List<ClusterLoad> take(XdsServer server, Predicate<String> asked);
}
