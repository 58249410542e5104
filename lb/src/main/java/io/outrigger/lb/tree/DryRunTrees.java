package io.outrigger.lb.tree;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeHead;
import io.outrigger.lb.view.NodeVisitor;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Describes the trees that a configuration would get, without creating policies. */
public final class DryRunTrees {
  private DryRunTrees() {}

  /** Returns a tree for each cluster that the routes of {@code config} name. */
  public static List<LbNode> of(XdsConfig config) {
    var trees = new LbConfigCache(false);
    trees.replace(config.clusters());
    return LbNode.of(
        visitor ->
            config.virtualHost().clusters().stream()
                .filter(trees::knows)
                .sorted()
                .forEach(name -> show(visitor, name, trees.tree(name))));
  }

  private static void show(NodeVisitor visitor, String name, LbConfig config) {
    Optional<RpcStatus> failure =
        config instanceof LbConfig.Failing failing
            ? Optional.of(failing.status())
            : Optional.empty();
    visitor.enter(
        new NodeHead(
            name,
            config.policy(),
            failure.isPresent() ? Connectivity.TRANSIENT_FAILURE : Connectivity.IDLE,
            config instanceof LbConfig.RandomSubset subset
                ? Map.of("subset_size", subset.subsetSize())
                : Map.of(),
            failure.map(RpcStatus::message).orElse(NodeHead.NOT_STARTED),
            true));
    if (config instanceof LbConfig.Priority priority) {
      priority.children().forEach(child -> show(visitor, child.label(), child.config()));
    } else if (config instanceof LbConfig.WeightedTarget weighted) {
      weighted
          .targets()
          .forEach(target -> show(visitor, target.locality().toString(), target.child()));
    } else if (config instanceof LbConfig.OverrideHost override) {
      show(visitor, name, override.child());
      override.setAside().forEach(each -> visitor.endpoint(LbEndpoint.untouched(each)));
    } else if (config instanceof LbConfig.Wrapping wrapping) {
      show(visitor, name, wrapping.child());
    } else {
      config.backends().forEach(each -> visitor.endpoint(LbEndpoint.untouched(each)));
    }
    visitor.leave();
  }
}
