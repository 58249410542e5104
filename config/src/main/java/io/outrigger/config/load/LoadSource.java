package io.outrigger.config.load;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.bootstrap.XdsServer;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Where load reports come from: balancing implements it, the control plane's half reads it. What is
 * counted stays until it is taken.
 */
@ControlConfined
public interface LoadSource {
  /** The servers for which something is counted, or was and is not yet taken. */
  Set<XdsServer> servers();

  /** Has {@code listener} told whenever {@link #servers} has changed; there is one listener. */
  void onServersChanged(Runnable listener);

  /**
   * Takes what was counted for {@code server}: the next call tells what comes after. Clusters that
   * are not asked for keep their counts, unless they are gone.
   *
   * @param asked by name of cluster
   */
  List<ClusterLoad> take(XdsServer server, Predicate<String> asked);
}
