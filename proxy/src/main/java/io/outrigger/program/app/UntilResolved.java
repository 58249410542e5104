package io.outrigger.program.app;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.xds.deps.XdsDependencyManager;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A filter between the resource graph and its {@code dns:///} or {@code k8s:///} target. Until
 * addresses are known, the target fails with the error of the resolution, as a gRPC channel does
 * (gRPC "Name Resolution"). When a later resolution fails, the last addresses stay in use until the
 * next success (A37-04).
 */
@ControlConfined
final class UntilResolved implements XdsDependencyManager.Listener {
  private final XdsDependencyManager.Listener target;
  private Optional<XdsConfig> unresolved = Optional.empty();

  UntilResolved(XdsDependencyManager.Listener target) {
    this.target = target;
  }

  @Override
  public void onConfig(Outcome<XdsConfig> config) {
    Optional<RpcStatus> reason = config.toOptional().flatMap(UntilResolved::reason);
    unresolved = reason.isPresent() ? config.toOptional() : Optional.empty();
    target.onConfig(reason.map(Outcome::<XdsConfig>failed).orElse(config));
  }

  @Override
  public void onClusters(Map<String, Outcome<ClusterConfig>> changed) {
    if (unresolved.isEmpty()) {
      target.onClusters(changed);
      return;
    }
    XdsConfig before = unresolved.get();
    Map<String, Outcome<ClusterConfig>> clusters = new HashMap<>(before.clusters());
    clusters.putAll(changed);
    onConfig(
        Outcome.ok(
            new XdsConfig(before.listener(), before.routes(), before.virtualHost(), clusters)));
  }

  private static Optional<RpcStatus> reason(XdsConfig config) {
    return config.clusters().values().stream()
        .flatMap(cluster -> cluster.toOptional().stream())
        .filter(ClusterConfig.Leaf.class::isInstance)
        .map(leaf -> ((ClusterConfig.Leaf) leaf).endpoints().status())
        .filter(status -> !status.isOk())
        .findFirst();
  }
}
