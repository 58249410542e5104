package io.outrigger.config.load;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.bootstrap.XdsServer;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The source of load reports, which the load balancer implements and the xDS client calls. */
@ControlConfined
public interface LoadSource {
  /** Returns the control planes that get load reports, or must still get their last report. */
  Set<XdsServer> servers();

  /** Sets the listener of changes of {@link #servers}. */
  void onServersChanged(Runnable listener);

  /**
   * Returns and resets the counts of the clusters for which {@code server} requested load reports.
   *
   * @param requested accepts the names of the clusters whose load the server requested
   */
  List<ClusterLoad> take(XdsServer server, Predicate<String> requested);
}
