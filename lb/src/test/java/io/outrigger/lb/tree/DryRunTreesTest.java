package io.outrigger.lb.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.LbNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A tree that is not made looks like the one that is, but that nothing of it is started. */
class DryRunTreesTest {
  private static final String A = "10.0.0.1:80";
  private static final String B = "10.0.0.2:80";
  private static final String C = "10.0.0.3:80";

  /** What both have in common. */
  private record Shape(String name, String policy, List<Shape> children, List<String> endpoints) {
    static Shape of(LbNode node) {
      return new Shape(
          node.name(),
          node.policy(),
          node.children().stream().map(Shape::of).toList(),
          node.endpoints().stream().map(endpoint -> endpoint.address().toString()).toList());
    }
  }

  @Test
  void itHasTheShapeOfTheLiveTree() {
    assertSameShape(
        Samples.config(
            Set.of("pay", "all"),
            Samples.eds(
                "pay",
                Samples.endpoints(
                    List.of(
                        List.of(
                            Samples.locality(
                                "x",
                                1,
                                Samples.endpoint(A),
                                Samples.endpoint(HealthStatus.UNHEALTHY, C)),
                            Samples.zone("y", B))))),
            Samples.dns("names", C),
            Samples.aggregate("all", "names")));
  }

  @Test
  void itSaysWhyThereIsNothingToBalance() {
    XdsConfig config =
        Samples.config(
            Set.of("lost", "none", "gone"),
            Map.of("gone", Samples.gone("gone")),
            Samples.undiscovered("lost", "EDS is gone"),
            Samples.aggregate("none"));
    List<LbNode> trees = assertSameShape(config);

    assertThat(trees).extracting(LbNode::name).containsExactly("gone", "lost", "none");
    assertThat(trees.get(0).state()).isEqualTo(Connectivity.TRANSIENT_FAILURE);
    assertThat(trees.get(0).detail()).isEqualTo("cluster \"gone\" does not exist");
    assertThat(leafOf(trees.get(1)).detail()).contains("EDS is gone");
    assertThat(trees.get(2).detail()).contains("none of its clusters is usable");
  }

  private static List<LbNode> assertSameShape(XdsConfig config) {
    var lb = new LbScript();
    lb.apply(config);

    List<LbNode> trees = DryRunTrees.of(config);
    for (LbNode tree : trees) {
      assertThat(Shape.of(tree)).isEqualTo(Shape.of(lb.describe(tree.name())));
    }
    assertThat(trees).hasSameSizeAs(config.virtualHost().clusters());
    return trees;
  }

  private static LbNode leafOf(LbNode node) {
    return node.children().isEmpty() ? node : leafOf(node.children().get(0));
  }
}
