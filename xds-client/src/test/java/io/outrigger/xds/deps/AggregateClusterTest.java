package io.outrigger.xds.deps;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ENDPOINT;
import static io.outrigger.xds.deps.Mesh.GONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.Resources;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AggregateClusterTest {
  @Conformance({"A75-06", "A75-07"})
  @Test
  void everyLeafBeneathAnAggregateIsPartOfTheConfiguration() {
    Mesh mesh = Mesh.routing("r").set(Resources.aggregate("r", "x", "c"));
    mesh.set(Resources.aggregate("x", "a", "b"));
    mesh.eds("a", "10.0.0.1").eds("b", "10.0.0.2").eds("c", "10.0.0.3");

    assertThat(mesh.leavesOf("r")).containsExactly("a", "b", "c");
    assertThat(mesh.config().clusters()).containsOnlyKeys("r", "a", "b", "c");
  }

  @Conformance("A75-08")
  @Test
  void clustersThatShareAnAggregateEachGetAllItsLeaves() {
    Mesh mesh = Mesh.routing("r", "x", "y", "s").set(Resources.aggregate("r", "x", "y"));
    mesh.set(Resources.aggregate("x", "s")).set(Resources.aggregate("y", "s", "c"));
    mesh.set(Resources.aggregate("s", "a", "b"));
    mesh.eds("a", "10.0.0.1").eds("b", "10.0.0.2").eds("c", "10.0.0.3");

    assertThat(mesh.leavesOf("r")).containsExactly("a", "b", "c");
    assertThat(mesh.leavesOf("x")).containsExactly("a", "b");
    assertThat(mesh.leavesOf("y")).containsExactly("a", "b", "c");
    assertThat(mesh.leavesOf("s")).containsExactly("a", "b");
  }

  @Conformance("A75-09")
  @Test
  void loopWithALeafUsesTheLeaf() {
    Mesh mesh = Mesh.routing("x", "y").set(Resources.aggregate("x", "y", "a"));
    mesh.set(Resources.aggregate("y", "x")).eds("a", "10.0.0.1");

    assertThat(mesh.leavesOf("x")).containsExactly("a");
    assertThat(mesh.leavesOf("y")).containsExactly("a");
  }

  @Conformance("A75-10")
  @Test
  void loopWithoutLeafFailsAsUnavailable() {
    Mesh mesh = Mesh.routing("x").set(Resources.aggregate("x", "y"));
    mesh.set(Resources.aggregate("y", "x"));

    assertThat(mesh.cluster("x").status())
        .isEqualTo(
            RpcStatus.unavailable(
                "aggregate cluster \"x\" has no leaf: it only leads to itself;"
                    + " xDS node ID: node-1"));
  }

  @Conformance("A75-11")
  @Test
  void fifteenNestedAggregatesWork() {
    Mesh mesh = chain(15);

    assertThat(mesh.leavesOf("x0")).containsExactly("leaf");
  }

  @Conformance({"A75-11", "A75-12"})
  @Test
  void sixteenNestedAggregatesFailWholeAndAlone() {
    Mesh mesh = chain(16);

    assertThat(mesh.cluster("x0").status())
        .isEqualTo(
            RpcStatus.unavailable(
                "aggregate cluster \"x0\" is nested deeper than 16 levels; xDS node ID: node-1"));
    assertThat(mesh.ips("other")).containsExactly("10.0.0.9");
  }

  /** The aggregate r reaches each part of the long chain by a short path. */
  @Conformance({"A75-11", "A75-12"})
  @Test
  void aPartThatIsTooDeepByItselfFailsAlone() {
    Mesh mesh = Mesh.routing("r", "x1", "x2").eds("leaf", "10.0.0.1");
    List<String> parts = IntStream.rangeClosed(1, 16).mapToObj(i -> "x" + (17 - i)).toList();
    for (int i = 1; i <= 16; i++) {
      mesh.set(Resources.aggregate("x" + i, i == 16 ? "leaf" : "x" + (i + 1)));
    }
    mesh.set(Resources.aggregate("r", parts.toArray(String[]::new)));

    assertThat(mesh.leavesOf("r")).containsExactly("leaf");
    assertThat(mesh.leavesOf("x2")).containsExactly("leaf");
    assertThat(mesh.cluster("x1").status().message()).contains("nested deeper than 16 levels");
  }

  /** Each of the loops through the hub is short, but a walk could follow one after the other. */
  @Conformance({"A75-08", "A75-09"})
  @Test
  void theStackDoesNotGrowWithTheNumberOfLoops() throws Exception {
    Mesh mesh = Mesh.started();
    List<String> spokes = IntStream.range(0, 1_000).mapToObj(i -> "spoke" + i).toList();
    List<String> parts = Stream.concat(spokes.stream(), Stream.of("leaf")).toList();
    spokes.forEach(each -> mesh.set(Resources.aggregate(each, "hub")));
    mesh.set(Resources.aggregate("hub", parts.toArray(String[]::new))).eds("leaf", "10.0.0.1");
    var walk =
        new FutureTask<>(
            () -> {
              mesh.set(Resources.listener("orders", "r1"));
              return mesh.set(Resources.routes("r1", "hub", "spoke999"));
            });

    new Thread(null, walk, "walk", 192 * 1024).start();
    walk.get(1, TimeUnit.MINUTES);

    assertThat(mesh.leavesOf("hub")).containsExactly("leaf");
    assertThat(mesh.leavesOf("spoke999")).containsExactly("leaf");
    assertThat(mesh.config().clusters()).hasSize(3);
  }

  /** Routes to x0 and to another cluster; x0 also has a leaf of its own beside the chain. */
  private static Mesh chain(int aggregates) {
    Mesh mesh = Mesh.routing("x0", "other").eds("other", "10.0.0.9");
    for (int i = 0; i < aggregates; i++) {
      String next = i == aggregates - 1 ? "leaf" : "x" + (i + 1);
      mesh.set(Resources.aggregate("x" + i, next, "leaf"));
    }
    return mesh.eds("leaf", "10.0.0.1");
  }

  @Conformance("A75-13")
  @Test
  void missingLeafIsLeftOut() {
    Mesh mesh = Mesh.routing("r").set(Resources.aggregate("r", "missing", "b"));
    mesh.eds("b", "10.0.0.2").fail(CLUSTER, "missing", GONE);

    assertThat(mesh.leavesOf("r")).containsExactly("b");
    assertThat(mesh.cluster("missing").isOk()).isFalse();
  }

  @Conformance("A75-14")
  @Test
  void withoutAnyLeafItFailsWithTheirReasonsUntilOneAppears() {
    Mesh mesh = Mesh.routing("r").set(Resources.aggregate("r", "a", "b"));
    mesh.fail(CLUSTER, "a", GONE).fail(CLUSTER, "b", RpcStatus.internal("refused"));

    assertThat(mesh.cluster("r").status())
        .isEqualTo(
            RpcStatus.unavailable(
                "aggregate cluster \"r\" has no leaf in use: cluster \"a\": does not exist,"
                    + " cluster \"b\": refused; xDS node ID: node-1"));

    mesh.eds("b", "10.0.0.2");
    assertThat(mesh.leavesOf("r")).containsExactly("b");
  }

  @Conformance("A75-14")
  @Test
  void fiveReasonsAreListedAndTheRestIsCounted() {
    Mesh mesh = Mesh.routing("five", "seven");
    mesh.set(Resources.aggregate("five", "a", "b", "c", "d", "e"));
    mesh.set(Resources.aggregate("seven", "a", "b", "c", "d", "e", "f", "g"));
    for (String name : List.of("a", "b", "c", "d", "e", "f", "g")) {
      mesh.fail(CLUSTER, name, GONE);
    }

    assertThat(mesh.cluster("five").status().message())
        .endsWith("cluster \"e\": does not exist; xDS node ID: node-1");
    assertThat(mesh.cluster("seven").status().message())
        .endsWith("cluster \"e\": does not exist and 2 more; xDS node ID: node-1");
  }

  @Conformance("A75-15")
  @Test
  void unknownLeafHoldsTheFirstConfigurationBackUntilItIsResolved() {
    Mesh mesh = Mesh.routing("r").set(Resources.aggregate("r", "mute", "b"));
    mesh.eds("b", "10.0.0.2");
    assertThat(mesh.published).isEmpty();

    mesh.fail(CLUSTER, "mute", GONE);

    assertThat(mesh.leavesOf("r")).containsExactly("b");
  }

  @Test
  void leafWithoutEndpointsStaysALeaf() {
    Mesh mesh = Mesh.routing("r").set(Resources.aggregate("r", "a", "b"));
    mesh.eds("b", "10.0.0.2").set(Resources.eds("a")).fail(ENDPOINT, "a", GONE);

    assertThat(mesh.leavesOf("r")).containsExactly("a", "b");
    assertThat(mesh.leaf("a").endpoints().isOk()).isFalse();
  }

  @Test
  void leafTakenOffTheListIsUnsubscribed() {
    Mesh mesh = Mesh.routing("r").set(Resources.aggregate("r", "a", "b"));
    mesh.eds("a", "10.0.0.1").eds("b", "10.0.0.2");

    mesh.set(Resources.aggregate("r", "b"));

    assertThat(mesh.leavesOf("r")).containsExactly("b");
    assertThat(mesh.watched(CLUSTER)).containsExactly("b", "r");
    assertThat(mesh.watched(ENDPOINT)).containsExactly("b");
  }

  @Test
  void clusterThatTurnsIntoAnAggregateWaitsForItsLeaves() {
    Mesh mesh = Mesh.serving("r");

    mesh.set(Resources.aggregate("r", "a"));
    assertThat(mesh.ips("r")).containsExactly("10.0.0.1");
    mesh.eds("a", "10.0.0.5");

    assertThat(mesh.leavesOf("r")).containsExactly("a");
    assertThat(mesh.watched(ENDPOINT)).containsExactly("a");
  }
}
