package io.outrigger.lb.tree;

import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import java.util.List;
import java.util.Map;

/** Describes the trees that a configuration would get, without creating policies. */
public final class DryRunTrees {
  private static final String NOT_STARTED = "not started";

  private DryRunTrees() {}

  /** Returns a tree for each cluster that the routes of {@code config} name. */
  public static List<LbNode> of(XdsConfig config) {
    var trees = new LbConfigCache();
    trees.replace(config.clusters());
    return config.routedClusters().stream()
        .filter(trees::knows)
        .sorted()
        .map(name -> node(name, trees.tree(name)))
        .toList();
  }

  private static LbNode node(String name, LbConfig config) {
    if (config instanceof LbConfig.Priority priority) {
      return inner(
          name,
          config,
          priority.children().stream().map(each -> node(each.label(), each.config())).toList());
    }
    if (config instanceof LbConfig.WeightedTarget weighted) {
      return inner(
          name,
          config,
          weighted.targets().stream()
              .map(each -> node(each.locality().toString(), each.child()))
              .toList());
    }
    if (config instanceof LbConfig.OverrideHost override) {
      return new LbNode(
          name,
          config.policy(),
          Connectivity.IDLE,
          Map.of(),
          NOT_STARTED,
          List.of(node(name, override.child())),
          override.setAside().stream().map(LbEndpoint::untouched).toList());
    }
    if (config instanceof LbConfig.RandomSubset subset) {
      return LbNode.inner(
          name,
          config,
          Connectivity.IDLE,
          Map.of("subset_size", subset.subsetSize()),
          NOT_STARTED,
          List.of(node(name, subset.child())));
    }
    if (config instanceof LbConfig.Wrapping wrapping) {
      return inner(name, config, List.of(node(name, wrapping.child())));
    }
    if (config instanceof LbConfig.Refusing refusing) {
      return refused(name, config, refusing.status().message());
    }
    if (config instanceof LbConfig.Failing failing) {
      return refused(name, config, failing.status().message());
    }
    return LbNode.notStarted(name, config);
  }

  private static LbNode inner(String name, LbConfig config, List<LbNode> children) {
    return LbNode.inner(name, config, Connectivity.IDLE, Map.of(), NOT_STARTED, children);
  }

  private static LbNode refused(String name, LbConfig config, String reason) {
    return LbNode.leaf(name, config, Connectivity.TRANSIENT_FAILURE, reason, List.of());
  }
}
