package io.outrigger.config.load;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.bootstrap.XdsServer;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The source of load reports. The balancing half implements this interface, and the control plane
 * half takes the loads. A source keeps its counts until {@link #take} removes them.
 */
@ControlConfined
public interface LoadSource {
  /** Returns the servers for which load is counted or counts are not yet taken. */
  Set<XdsServer> servers();

  /** Sets the only listener, which is called whenever {@link #servers} has changed. */
  void onServersChanged(Runnable listener);

  /**
   * Returns the counts for {@code server} and resets them. A cluster whose load the server did not
   * request keeps its counts while the cluster exists.
   *
   * @param asked a predicate that accepts the names of the clusters whose load the server requested
   */
  List<ClusterLoad> take(XdsServer server, Predicate<String> asked);
}
