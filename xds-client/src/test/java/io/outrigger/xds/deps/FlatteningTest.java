package io.outrigger.xds.deps;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.deps.ClusterWalk.Flattening;
import io.outrigger.xds.testing.Resources;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlatteningTest {
  /**
   * {@code R=X C; X=A B}: names without a definition are leaves; {@code ?} unknown, {@code !} gone.
   */
  private static Flattening flatten(String tree) {
    Map<String, WatchState<ClusterResource>> known = new HashMap<>();
    for (String definition : tree.split(";", -1)) {
      String[] sides = definition.trim().split("=", 2);
      known.put(
          sides[0],
          WatchState.of(Outcome.ok(Resources.aggregate(sides[0], sides[1].split(" ", -1)))));
    }
    return new Flattening("R", name -> known.getOrDefault(name, plain(name)));
  }

  private static WatchState<ClusterResource> plain(String name) {
    if (name.endsWith("?")) {
      return WatchState.unresolved();
    }
    return name.endsWith("!")
        ? WatchState.of(Outcome.failed(RpcStatus.unavailable("gone")))
        : WatchState.of(Outcome.ok(Resources.eds(name)));
  }

  @Conformance({"A75-06", "A75-07", "A75-08", "A75-09"})
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "R=A, A",
    "R=A B C, A B C",
    "R=X C; X=A B, A B C",
    "R=C X; X=A B, C A B",
    "R=X Y; X=A Z; Z=B; Y=C, A B C",
    "R=A B A, A B",
    "R=X Y; X=A B; Y=B C, A B C",
    "R=X B; X=A B, A B",
    // diamonds: the shared node is an aggregate
    "R=X Y; X=S; Y=S D; S=A B, A B D",
    "R=X Y; X=A S; Y=S; S=B C, A B C",
    "R=S X; X=S; S=A B, A B",
    // loops with leaves
    "R=X A; X=R B, B A",
    "R=X; X=Y A; Y=X B, B A",
    "R=R A, A",
    "R=X Y; X=Y A; Y=X B, B A",
  })
  void listsLeavesDepthFirstEachOnce(String tree, String leaves) {
    Flattening flat = flatten(tree);

    assertThat(flat.leaves).containsExactly(leaves.split(" ", -1));
    assertThat(flat.tooDeep).isFalse();
  }

  @Conformance("A75-10")
  @ParameterizedTest
  @CsvSource({"R=R", "R=X; X=R", "R=X; X=Y; Y=X"})
  void loopWithoutLeafHasNone(String tree) {
    assertThat(flatten(tree).leaves).isEmpty();
    assertThat(flatten(tree).failed).isEmpty();
  }

  @Conformance("A75-13")
  @Test
  void failedLeafAndUnknownOneAreLeftOut() {
    Flattening flat = flatten("R=X B C?; X=A! D");

    assertThat(flat.leaves).containsExactly("D", "B");
    assertThat(flat.failed).containsOnlyKeys("A!");
  }

  @Conformance({"A75-11", "A75-12"})
  @ParameterizedTest(name = "{0} aggregates in a chain: too deep {1}")
  @CsvSource({"1, false", "14, false", "15, false", "16, true", "17, true", "100, true"})
  void depthSixteenIsTooDeep(int aggregates, boolean tooDeep) {
    Flattening flat = flatten(chain(aggregates));

    assertThat(flat.tooDeep).isEqualTo(tooDeep);
    if (!tooDeep) {
      assertThat(flat.leaves).containsExactly("L");
    }
  }

  @Test
  void nothingBelowTheLimitIsLookedUp() {
    assertThat(flatten(chain(100)).reached).hasSize(Flattening.MAX_DEPTH);
  }

  /** The time of a complete walk would be the square of the number of clusters. */
  @Test
  void aWalkEndsAtTheFirstPathThatIsTooDeep() {
    List<String> all = IntStream.range(0, 300).mapToObj(i -> i == 0 ? "R" : "X" + i).toList();
    String each = "=" + String.join(" ", all);

    Flattening flat = flatten(String.join(";", all.stream().map(name -> name + each).toList()));

    assertThat(flat.tooDeep).isTrue();
    assertThat(flat.reached).hasSize(Flattening.MAX_DEPTH);
  }

  /** R -> X1 -> … -> L with {@code aggregates} aggregates. */
  static String chain(int aggregates) {
    List<String> definitions = new ArrayList<>();
    for (int i = 0; i < aggregates; i++) {
      String name = i == 0 ? "R" : "X" + i;
      definitions.add(name + "=" + (i == aggregates - 1 ? "L" : "X" + (i + 1)));
    }
    return String.join(";", definitions);
  }

  @Conformance({"A75-06", "A75-07", "A75-08", "A75-09"})
  @Property(tries = 500, seed = "20260101")
  void agreesWithWalkingEveryPath(@ForAll("graphs") Map<String, List<String>> graph) {
    Flattening flat =
        new Flattening(
            "n0",
            name -> {
              List<String> children = graph.get(name);
              return children == null || children.isEmpty()
                  ? plain(name)
                  : WatchState.of(
                      Outcome.ok(Resources.aggregate(name, children.toArray(new String[0]))));
            });

    Set<String> expected = new LinkedHashSet<>();
    walkEveryPath(graph, "n0", new ArrayList<>(), expected);
    assertThat(flat.leaves).containsExactlyElementsOf(expected);
    assertThat(flat.tooDeep).isFalse(); // no path of so few nodes is
  }

  /** The definition, without memory between paths: only a path's own loop ends it. */
  private static void walkEveryPath(
      Map<String, List<String>> graph, String name, List<String> path, Set<String> leaves) {
    List<String> children = graph.getOrDefault(name, List.of());
    if (children.isEmpty()) {
      leaves.add(name);
      return;
    }
    if (path.contains(name)) {
      return;
    }
    path.add(name);
    children.forEach(child -> walkEveryPath(graph, child, path, leaves));
    path.remove(path.size() - 1);
  }

  /** Graphs of up to seven nodes, about a third of them leaves; loops and diamonds abound. */
  @Provide
  Arbitrary<Map<String, List<String>>> graphs() {
    Arbitrary<String> node = Arbitraries.integers().between(0, 6).map(i -> "n" + i);
    return node.list()
        .ofMinSize(0)
        .ofMaxSize(3)
        .list()
        .ofSize(7)
        .map(
            lists -> {
              Map<String, List<String>> graph = new HashMap<>();
              for (int i = 0; i < lists.size(); i++) {
                graph.put("n" + i, lists.get(i));
              }
              return graph;
            });
  }
}
