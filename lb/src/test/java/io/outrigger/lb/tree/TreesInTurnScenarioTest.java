package io.outrigger.lb.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.LbNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** New trees are built one after the other (decision lb-0053). */
class TreesInTurnScenarioTest {
  private final LbScript lb = new LbScript();
  private final ClusterManager manager = lb.manager();

  @Test
  void severalNewTreesAreBuiltOneATurnAfterTheUpdate() {
    List<Integer> counts = new ArrayList<>();

    lb.loop()
        .inside(
            () -> {
              apply("a", "b", "c");
              counts.add(lb.connector().count());
              for (int turn = 0; turn < 2; turn++) {
                lb.loop().execute(() -> counts.add(lb.connector().count()));
              }
            });

    assertThat(counts).containsExactly(0, 1, 1); // the first tree was posted before both tasks
    assertThat(lb.open()).containsExactly(address("a"), address("b"), address("c"));
  }

  /** As when the routes change while the trees are built. */
  @Test
  void anotherUpdateBuildsNoMoreTreesInATurn() {
    List<Integer> counts = new ArrayList<>();

    lb.loop()
        .inside(
            () -> {
              apply("a", "b", "c", "d");
              apply("b", "c", "d", "e");
              manager.retire(Set.of("b", "c", "d", "e"));
              for (int turn = 0; turn < 3; turn++) {
                lb.loop().execute(() -> counts.add(lb.connector().count()));
              }
            });

    assertThat(counts).containsExactly(2, 2, 2); // the tree of a was built before it was retired
    assertThat(lb.open()).containsExactly(address("b"), address("c"), address("d"), address("e"));
  }

  @Test
  void oneNewTreeIsBuiltAtOnce() {
    lb.loop()
        .inside(
            () -> {
              apply("a");
              assertThat(lb.open()).containsExactly(address("a"));
              apply("a", "b");
              assertThat(lb.open()).containsExactly(address("a"), address("b"));
            });
  }

  @Test
  void theTreeForWhichACallWaitsComesNext() {
    List<PickResult> picks = new ArrayList<>();
    lb.loop()
        .inside(
            () -> {
              ClusterHandle last = apply("a", "b", "c", "d").get("d");
              last.park(() -> picks.add(last.picker().pick(TestCall.CALL)), last.picker());
            });

    assertThat(lb.open()).containsExactly(address("a"), address("d"), address("b"), address("c"));
    assertThat(picks).hasSize(1); // the new tree has woken the call, which waits for a connection
    assertThat(((PickResult.Queue) picks.get(0)).reason()).startsWith("weighted_target");
  }

  @Test
  void untilItsTreeIsBuiltAClusterIsConnecting() {
    lb.loop()
        .inside(
            () -> {
              ClusterHandle last = apply("a", "b").get("b");
              var queue = (PickResult.Queue) last.picker().pick(TestCall.CALL);
              assertThat(queue.delayType()).isEqualTo("connecting");
              assertThat(last.note()).isEqualTo("xDS node ID: test");
            });
  }

  @Test
  void aClusterThatTheNextConfigurationLacksGetsItsTreeBefore() {
    lb.loop()
        .inside(
            () -> {
              assertThat(apply("a", "b").get("b").acquire()).isTrue();
              apply("a");
              manager.retire(Set.of("a"));
            });

    assertThat(lb.open()).containsExactly(address("b"), address("a"));
    assertThat(lb.live()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void newEndpointsAreUsedWhenTheirTreeHasItsTurn() {
    lb.loop()
        .inside(
            () -> {
              apply("a", "b", "c");
              manager.update(Map.of("c", Outcome.ok(Samples.eds("c", address("d")))));
              assertThat(lb.open()).isEmpty();
            });

    assertThat(lb.open()).containsExactly(address("a"), address("b"), address("d"));
  }

  @Test
  void viewsShowEveryCluster() {
    lb.loop()
        .inside(
            () -> {
              apply("a", "b", "c");
              assertThat(LbNode.of(manager::accept))
                  .extracting(LbNode::name)
                  .containsExactly("a", "b", "c");
            });
  }

  @Test
  void aClusterThatEndsEarlierGetsNoTree() {
    lb.loop()
        .inside(
            () -> {
              apply("a", "b", "c");
              manager.retire(Set.of("a", "c"));
            });

    assertThat(lb.open()).containsExactly(address("a"), address("c"));
  }

  @Test
  void aClosedManagerBuildsNoTree() {
    lb.loop()
        .inside(
            () -> {
              apply("a", "b", "c");
              manager.close();
            });

    assertThat(lb.open()).isEmpty();
    assertThat(lb.connector().count()).isZero();
  }

  private Map<String, ClusterHandle> apply(String... names) {
    return manager.apply(
        Samples.config(
            new LinkedHashSet<>(List.of(names)),
            Arrays.stream(names).map(TreesInTurnScenarioTest::leaf).toArray(ClusterConfig[]::new)));
  }

  private static ClusterConfig.Leaf leaf(String name) {
    return Samples.eds(name, address(name));
  }

  private static String address(String name) {
    return "10.0.0." + (name.charAt(0) - 'a' + 1) + ":80";
  }
}
