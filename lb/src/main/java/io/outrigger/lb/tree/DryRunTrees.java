package io.outrigger.lb.tree;

import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import java.util.List;
import java.util.Map;

/** Describes the trees that a configuration would get, without creating policies. */
public final class DryRunTrees {
  private DryRunTrees() {}

  /** Returns a tree for each cluster that the routes of {@code config} name. */
  public static List<LbNode> of(XdsConfig config) {
    var trees = new LbConfigCache(false);
    trees.replace(config.clusters());
    return config.virtualHost().clusters().stream()
        .filter(trees::knows)
        .sorted()
        .map(name -> node(name, trees.tree(name)))
        .toList();
  }

  private static LbNode node(String name, LbConfig config) {
    List<LbNode> children = List.of();
    List<Backend> own = List.of();
    if (config instanceof LbConfig.Priority priority) {
      children =
          priority.children().stream().map(child -> node(child.label(), child.config())).toList();
    } else if (config instanceof LbConfig.WeightedTarget weighted) {
      children =
          weighted.targets().stream()
              .map(target -> node(target.locality().toString(), target.child()))
              .toList();
    } else if (config instanceof LbConfig.OverrideHost override) {
      children = List.of(node(name, override.child()));
      own = override.unreachable();
    } else if (config instanceof LbConfig.Wrapping wrapping) {
      children = List.of(node(name, wrapping.child()));
    } else {
      own = config.backends();
    }
    LbConfig.Failing failing = config instanceof LbConfig.Failing its ? its : null;
    return new LbNode(
        name,
        config.policy(),
        failing == null ? Connectivity.IDLE : Connectivity.TRANSIENT_FAILURE,
        Map.of(),
        failing == null ? LbNode.NOT_STARTED : failing.status().message(),
        children,
        own.stream().map(LbEndpoint::unconnected).toList(),
        true);
  }
}
