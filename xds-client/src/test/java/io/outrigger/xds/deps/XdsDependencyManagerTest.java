package io.outrigger.xds.deps;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ENDPOINT;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.deps.Mesh.GONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.RecordingConfigs;
import io.outrigger.xds.testing.Resources;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class XdsDependencyManagerTest {
  @Test
  void publishesOnceEverythingIsKnown() {
    Mesh mesh = Mesh.started();
    mesh.set(Resources.listener("orders", "r1"));
    mesh.set(Resources.routes("r1", "a"));
    mesh.set(Resources.eds("a", "a-service"));
    assertThat(mesh.published).isEmpty();

    mesh.set(Resources.endpoints("a-service", "10.0.0.1"));

    assertThat(mesh.published).hasSize(1);
    assertThat(mesh.config().virtualHost().name()).isEqualTo("host");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.1");
  }

  @Test
  void tellsWhatItWaitsFor() {
    Mesh mesh = Mesh.started();
    List<String> waits = new ArrayList<>();
    Runnable note =
        () -> mesh.loop.inside(() -> waits.add(mesh.manager.waitingFor().orElse("nothing")));

    note.run();
    mesh.set(Resources.listener("orders", "r1"));
    note.run();
    mesh.set(Resources.routes("r1", "a"));
    note.run();
    mesh.set(Resources.eds("a"));
    note.run();
    mesh.set(Resources.endpoints("a", "10.0.0.1"));
    note.run();

    assertThat(waits)
        .containsExactly(
            "listener \"orders\"",
            "route configuration \"r1\"",
            "cluster \"a\"",
            "endpoints of cluster \"a\"",
            "nothing");
  }

  @Test
  void oneTurnWithManyChangesPublishesOnce() {
    Mesh mesh = Mesh.serving("a", "b");
    int before = mesh.published.size();

    mesh.loop.inside(
        () -> {
          mesh.client.set(ENDPOINT, "a", Resources.endpoints("a", "10.0.0.2"));
          mesh.client.set(ENDPOINT, "b", Resources.endpoints("b", "10.0.0.3"));
          mesh.client.set(ROUTE, "r1", Resources.routes("r1", "b", "a"));
        });

    assertThat(mesh.published).hasSize(before + 1);
  }

  @Test
  void cachedResourcesAreUsedInTheSameTurn() {
    Mesh mesh = new Mesh();
    mesh.loop.inside(
        () -> {
          mesh.client.set(LISTENER, "orders", Resources.listener("orders", "r1"));
          mesh.client.set(ROUTE, "r1", Resources.routes("r1", "x"));
          mesh.client.set(CLUSTER, "x", Resources.aggregate("x", "a"));
          mesh.client.set(CLUSTER, "a", Resources.eds("a"));
          mesh.client.set(ENDPOINT, "a", Resources.endpoints("a", "10.0.0.1"));
        });

    mesh.loop.inside(mesh.manager::start);

    assertThat(mesh.published).hasSize(1);
    assertThat(mesh.leavesOf("x")).containsExactly("a");
  }

  /** While the clusters of the last configuration are in use, a new cluster may lack room. */
  @Test
  void aClusterWithoutRoomIsWatchedWhenTheOldClustersAreGone() {
    int max = (int) (Runtime.getRuntime().maxMemory() / (16 << 10));
    String[] old = IntStream.range(0, max).mapToObj(i -> "old" + i).toArray(String[]::new);
    Mesh mesh = Mesh.started();
    mesh.loop.inside(
        () -> {
          for (String cluster : old) {
            mesh.client.fail(CLUSTER, cluster, GONE);
          }
        });
    mesh.eds("new", "10.0.0.1");
    mesh.set(Resources.listener("orders", "r1"));
    mesh.set(Resources.routes("r1", old));

    mesh.set(Resources.routes("r1", "new"));

    assertThat(mesh.ips("new")).containsExactly("10.0.0.1");
  }

  @Test
  void equalResourcesPublishNothing() {
    Mesh mesh = Mesh.serving("a");
    int before = mesh.published.size();

    mesh.set(Resources.endpoints("a", "10.0.0.1"));
    mesh.set(Resources.routes("r1", "a"));
    mesh.set(Resources.eds("a"));

    assertThat(mesh.published).hasSize(before);
  }

  @Test
  void weightedClustersAreAllWatched() {
    Mesh mesh = Mesh.started();
    mesh.set(Resources.listener("orders", Resources.weightedRoutes("r", "a", "b")));

    assertThat(mesh.watched(CLUSTER)).containsExactly("a", "b");
  }

  @Test
  void sharedEndpointsAreWatchedOnce() {
    Mesh mesh = Mesh.routing("a", "b");
    mesh.set(Resources.eds("a", "svc"));
    mesh.set(Resources.eds("b", "svc"));

    mesh.set(Resources.endpoints("svc", "10.0.0.1"));

    assertThat(mesh.client.takeLog()).containsOnlyOnce("watch eds svc");
    assertThat(mesh.ips("b")).containsExactly("10.0.0.1");
  }

  @Test
  void untouchedClustersKeepTheirInstances() {
    String[] names = IntStream.range(0, 200).mapToObj(i -> "c" + i).toArray(String[]::new);
    Mesh mesh = Mesh.serving(names);
    var before = mesh.config().clusters();

    mesh.set(Resources.endpoints("c7", "10.9.9.9"));

    var after = mesh.config().clusters();
    assertThat(after.keySet()).isEqualTo(before.keySet());
    assertThat(after.keySet()).allMatch(n -> (after.get(n) == before.get(n)) != n.equals("c7"));
    assertThat(mesh.ips("c7")).containsExactly("10.9.9.9");
  }

  @Test
  void closedManagerWatchesNothingAndIsSilent() {
    Mesh mesh = Mesh.serving("a");
    int before = mesh.published.size();

    mesh.loop.inside(
        () -> {
          mesh.client.set(ENDPOINT, "a", Resources.endpoints("a", "10.0.0.2"));
          mesh.manager.close();
        });

    assertThat(mesh.published).hasSize(before);
    assertThat(mesh.watched(LISTENER)).isEmpty();
    assertThat(mesh.watched(ROUTE)).isEmpty();
    assertThat(mesh.watched(CLUSTER)).isEmpty();
    assertThat(mesh.watched(ENDPOINT)).isEmpty();
  }

  @Conformance({"A74-02", "A88-20"})
  @Test
  void failedListenerFailsTheTargetAsUnavailable() {
    Mesh mesh = Mesh.started();

    mesh.fail(LISTENER, "orders", GONE);

    assertThat(mesh.last().status())
        .isEqualTo(
            RpcStatus.unavailable("listener \"orders\": does not exist; xDS node ID: node-1"));
  }

  @Conformance("A74-02")
  @Test
  void failedRoutesFailTheTargetUntilTheyCome() {
    Mesh mesh = Mesh.started().set(Resources.listener("orders", "r1"));

    mesh.fail(ROUTE, "r1", GONE);
    assertThat(mesh.last().status())
        .isEqualTo(
            RpcStatus.unavailable(
                "route configuration \"r1\": does not exist; xDS node ID: node-1"));

    mesh.set(Resources.routes("r1", "a")).eds("a", "10.0.0.1");
    assertThat(mesh.config().clusters()).containsOnlyKeys("a");
  }

  @Conformance("A74-02")
  @Test
  void errorsBesideAValueLeaveItInUse() {
    Mesh mesh = Mesh.serving("a");

    mesh.ambient(LISTENER, "orders", "server gone").ambient(ROUTE, "r1", "refused");

    assertThat(mesh.config().clusters()).containsOnlyKeys("a");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.1");
  }

  @Conformance("A74-02")
  @Test
  void listenerThatFailsAfterServingFailsTheTargetAndComesBack() {
    Mesh mesh = Mesh.serving("a");
    var before = mesh.last();

    mesh.fail(LISTENER, "orders", GONE);
    assertThat(mesh.last().isOk()).isFalse();
    assertThat(mesh.watched(CLUSTER)).isEmpty();

    mesh.set(Resources.listener("orders", "r1"));
    assertThat(mesh.last()).isEqualTo(before);
  }

  @Conformance("A74-01")
  @Test
  void oldRoutesServeUntilTheNewClusterIsComplete() {
    Mesh mesh = Mesh.serving("a");
    var before = mesh.last();

    mesh.set(Resources.routes("r1", "b"));
    mesh.set(Resources.eds("b"));
    assertThat(mesh.last()).isSameAs(before);
    assertThat(mesh.watched(CLUSTER)).containsExactly("a", "b");
    assertThat(mesh.watched(ENDPOINT)).containsExactly("a", "b");

    mesh.set(Resources.endpoints("b", "10.0.0.2"));
    assertThat(mesh.config().clusters()).containsOnlyKeys("b");
    assertThat(mesh.watched(CLUSTER)).containsExactly("b");
    assertThat(mesh.watched(ENDPOINT)).containsExactly("b");
  }

  @Conformance("A74-01")
  @Test
  void oldRoutesServeUntilTheNewClusterFailed() {
    Mesh mesh = Mesh.serving("a");

    mesh.set(Resources.routes("r1", "b")).fail(CLUSTER, "b", GONE);

    assertThat(mesh.config().clusters()).containsOnlyKeys("b");
    assertThat(mesh.cluster("b").status())
        .isEqualTo(
            new RpcStatus(
                RpcStatus.Code.NOT_FOUND, "cluster \"b\": does not exist; xDS node ID: node-1"));
  }

  @Conformance("A74-03")
  @Test
  void failedClusterLeavesTheOthersAlone() {
    Mesh mesh = Mesh.routing("a", "b");
    mesh.eds("a", "10.0.0.1");
    assertThat(mesh.published).isEmpty();

    mesh.fail(CLUSTER, "b", GONE);

    assertThat(mesh.ips("a")).containsExactly("10.0.0.1");
    assertThat(mesh.cluster("b").status().code()).isEqualTo(RpcStatus.Code.NOT_FOUND);
    assertThat(mesh.cluster("b").status().message()).contains("cluster \"b\": does not exist");
  }

  /** Load balancing needs the difference (A31-09); calls get UNAVAILABLE in any case (A88-20). */
  @ParameterizedTest
  @CsvSource({
    "NOT_FOUND, NOT_FOUND",
    "PERMISSION_DENIED, NOT_FOUND",
    "INVALID_ARGUMENT, UNAVAILABLE",
    "UNAVAILABLE, UNAVAILABLE",
    "INTERNAL, UNAVAILABLE"
  })
  @Conformance("A31-09")
  void onlyAnAbsentClusterDoesNotExist(RpcStatus.Code reported, RpcStatus.Code published) {
    Mesh mesh = Mesh.serving("a");

    mesh.fail(CLUSTER, "a", new RpcStatus(reported, "reason"));

    assertThat(mesh.cluster("a").status().code()).isEqualTo(published);
  }

  @Conformance({"A74-04", "A88-33"})
  @Test
  void failedEndpointsMakeAClusterWithoutEndpoints() {
    Mesh mesh = Mesh.serving("a", "b");

    mesh.fail(ENDPOINT, "a", new RpcStatus(RpcStatus.Code.PERMISSION_DENIED, "not for you"));

    assertThat(mesh.leaf("a").endpoints().status())
        .isEqualTo(RpcStatus.unavailable("endpoints \"a\": not for you"));
    assertThat(mesh.note("a")).isEqualTo("xDS node ID: node-1");
    assertThat(mesh.ips("b")).containsExactly("10.0.0.1");
  }

  @Conformance("A88-35")
  @Test
  void endpointsThatFailFromTheStartHoldNobodyBack() {
    Mesh mesh = Mesh.routing("a", "b").eds("b", "10.0.0.1").set(Resources.eds("a"));
    assertThat(mesh.published).isEmpty();

    mesh.fail(ENDPOINT, "a", new RpcStatus(RpcStatus.Code.PERMISSION_DENIED, "not for you"));

    assertThat(mesh.leaf("a").endpoints().isOk()).isFalse();
    assertThat(mesh.ips("b")).containsExactly("10.0.0.1");
  }

  @Conformance("A88-34")
  @Test
  void emptyEndpointsReplaceTheOldOnes() {
    Mesh mesh = Mesh.serving("a");

    mesh.set(Resources.endpoints("a"));

    assertThat(mesh.leaf("a").endpoints().isOk()).isTrue();
    assertThat(mesh.ips("a")).isEmpty();
  }

  @Conformance("A74-05")
  @Test
  void noVirtualHostFailsTheTarget() {
    Mesh mesh = Mesh.serving("a");

    mesh.set(Resources.routesFor("r1", "other.example", "a"));

    assertThat(mesh.last().status())
        .isEqualTo(
            RpcStatus.unavailable(
                "route configuration \"r1\" has no virtual host for \"orders\";"
                    + " xDS node ID: node-1"));
  }

  @Conformance("A74-07")
  @Test
  void switchOfTheRoutesKeepsTheOldUntilTheNewAreComplete() {
    Mesh mesh = Mesh.serving("a");
    var before = mesh.last();
    mesh.client.takeLog();

    mesh.set(Resources.listener("orders", "r2"));
    mesh.set(Resources.routes("r2", "b"));
    mesh.set(Resources.eds("b"));
    assertThat(mesh.last()).isSameAs(before);
    assertThat(mesh.watched(ROUTE)).containsExactly("r1", "r2");

    mesh.set(Resources.endpoints("b", "10.0.0.2"));
    assertThat(mesh.config().routes().name()).isEqualTo("r2");
    assertThat(mesh.watched(ROUTE)).containsExactly("r2");
    assertThat(mesh.client.takeLog())
        .containsSubsequence("watch rds r2", "watch cds b", "watch eds b", "unwatch rds r1");
  }

  @Conformance("A74-08")
  @Test
  void switchBetweenInlineAndDynamicRoutesNeverFails() {
    Mesh mesh = Mesh.serving("a");

    mesh.set(Resources.listener("orders", Resources.routes("inline", "a")));
    assertThat(mesh.config().routes().name()).isEqualTo("inline");
    assertThat(mesh.watched(ROUTE)).isEmpty();

    mesh.set(Resources.listener("orders", "r3"));
    assertThat(mesh.config().routes().name()).isEqualTo("inline");
    mesh.set(Resources.routes("r3", "a"));
    assertThat(mesh.config().routes().name()).isEqualTo("r3");
    assertThat(mesh.published).allMatch(outcome -> outcome.isOk());
  }

  @Test
  void switchOfTheServiceKeepsTheOldEndpointsUntilTheNewOnesCome() {
    Mesh mesh = Mesh.serving("a");

    mesh.set(Resources.eds("a", "a2"));
    assertThat(mesh.ips("a")).containsExactly("10.0.0.1");
    assertThat(mesh.watched(ENDPOINT)).containsExactly("a", "a2");

    mesh.set(Resources.endpoints("a2", "10.0.0.2"));
    assertThat(mesh.ips("a")).containsExactly("10.0.0.2");
    assertThat(mesh.watched(ENDPOINT)).containsExactly("a2");
  }

  @Conformance("A31-06")
  @Test
  void clusterThatCallsHoldStaysWatchedAndUpToDate() {
    Mesh mesh = Mesh.serving("a", "b").keep("a", "b");

    mesh.set(Resources.routes("r1", "b")).keep("a");

    assertThat(mesh.config().clusters()).containsOnlyKeys("a", "b");
    assertThat(mesh.watched(CLUSTER)).containsExactly("a", "b");
    assertThat(mesh.watched(ENDPOINT)).containsExactly("a", "b");
    mesh.set(Resources.endpoints("a", "10.0.0.9"));
    assertThat(mesh.ips("a")).containsExactly("10.0.0.9");
  }

  @Conformance("A31-06")
  @Test
  void clusterNamedWhileItsRemovalIsPublishedIsNotLetGo() {
    Mesh mesh = new Mesh();
    var manager = new XdsDependencyManager[1];
    manager[0] =
        new XdsDependencyManager(
            mesh.loop,
            mesh.client,
            mesh.dns,
            "orders",
            "orders",
            "node-1",
            new RecordingConfigs().then(config -> manager[0].keep(Set.of("a"))),
            RandomSource.SYSTEM);
    mesh.loop.inside(manager[0]::start);
    mesh.set(Resources.listener("orders", Resources.routes("r", "a")));
    mesh.eds("a", "10.0.0.1").eds("b", "10.0.0.2");
    mesh.client.takeLog();

    mesh.set(Resources.listener("orders", Resources.routes("r", "b")));

    assertThat(mesh.client.takeLog()).containsExactly("watch cds b", "watch eds b");
  }

  @Conformance("A31-07")
  @Test
  void clusterIsLetGoWhenNoCallHoldsItWithoutAnyUpdate() {
    Mesh mesh = Mesh.serving("a", "b").keep("a").set(Resources.routes("r1", "b"));

    mesh.keep();

    assertThat(mesh.config().clusters()).containsOnlyKeys("b");
    assertThat(mesh.watched(CLUSTER)).containsExactly("b");
    assertThat(mesh.watched(ENDPOINT)).containsExactly("b");
  }

  @Conformance("A31-41")
  @Test
  void heldClusterThatFailsDisturbsNobodyElse() {
    Mesh mesh = Mesh.serving("a", "b").keep("a").set(Resources.routes("r1", "b"));

    mesh.fail(CLUSTER, "a", GONE);

    assertThat(mesh.cluster("a").isOk()).isFalse();
    assertThat(mesh.ips("b")).containsExactly("10.0.0.1");
  }

  @Conformance({"A31-41", "A74-03"})
  @Test
  void heldClusterThatWaitsForEndpointsHoldsUpNobodyElse() {
    Mesh mesh = Mesh.serving("a", "b").keep("a").set(Resources.routes("r1", "b"));

    mesh.set(Resources.eds("a", "never"));
    mesh.set(Resources.endpoints("b", "10.0.0.7"));
    assertThat(mesh.ips("b")).containsExactly("10.0.0.7");
    assertThat(mesh.ips("a")).as("as it was").containsExactly("10.0.0.1");

    mesh.eds("c", "10.0.0.3").set(Resources.routes("r1", "c"));
    assertThat(mesh.config().clusters()).containsOnlyKeys("a", "c");

    mesh.set(Resources.endpoints("never", "10.0.0.9"));
    assertThat(mesh.ips("a")).containsExactly("10.0.0.9");
  }

  @Conformance("A31-41")
  @Test
  void heldAggregateOfWhichALeafIsNotKnownStaysAsItWas() {
    Mesh mesh = Mesh.serving("b").eds("a", "10.0.0.1");
    mesh.set(Resources.aggregate("both", "a")).set(Resources.routes("r1", "both", "b"));
    mesh.keep("both").set(Resources.routes("r1", "b"));

    mesh.set(Resources.aggregate("both", "a", "new"));
    mesh.set(Resources.endpoints("b", "10.0.0.7"));

    assertThat(mesh.ips("b")).containsExactly("10.0.0.7");
    assertThat(mesh.leavesOf("both")).containsExactly("a");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.1");
    mesh.eds("new", "10.0.0.8");
    assertThat(mesh.leavesOf("both")).containsExactly("a", "new");
  }

  @Conformance("A31-41")
  @Test
  void heldAggregateKeepsALeafThatItsNewListLeavesOut() {
    Mesh mesh = heldAggregate();

    mesh.set(Resources.aggregate("both", "new"));

    assertThat(mesh.leavesOf("both")).containsExactly("a");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.1");
    mesh.eds("new", "10.0.0.8");
    assertThat(mesh.leavesOf("both")).containsExactly("new");
    assertThat(mesh.config().clusters()).containsOnlyKeys("b", "both", "new");
  }

  /** Calls may wait for the leaf itself, too. */
  @Conformance("A31-06")
  @Test
  void leafThatAHeldAggregateKeepsIsStillWatched() {
    Mesh mesh = heldAggregate();

    mesh.set(Resources.aggregate("both", "new"));
    assertThat(mesh.watched(CLUSTER)).containsExactly("a", "b", "both", "new");
    mesh.set(Resources.endpoints("a", "10.0.0.2"));

    assertThat(mesh.ips("a")).containsExactly("10.0.0.2");
    mesh.fail(CLUSTER, "a", GONE);
    assertThat(mesh.cluster("a").isOk()).isFalse();
  }

  @Conformance("A31-41")
  @Test
  void leafThatIsKnownIsUpToDateThoughItsHeldAggregateWaits() {
    Mesh mesh = heldAggregate();

    mesh.loop.inside(
        () -> {
          mesh.client.set(CLUSTER, "both", Resources.aggregate("both", "a", "new"));
          mesh.client.set(ENDPOINT, "a", Resources.endpoints("a", "10.0.0.2"));
        });

    assertThat(mesh.leavesOf("both")).containsExactly("a");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.2");
  }

  @Conformance("A31-41")
  @Test
  void heldAggregateTakesItsNewListUpWhenTheLastEndpointsCome() {
    Mesh mesh = heldAggregate().eds("c", "10.0.0.3");

    mesh.loop.inside(
        () -> {
          mesh.client.set(CLUSTER, "both", Resources.aggregate("both", "a", "c"));
          mesh.client.set(CLUSTER, "a", Resources.eds("a", "late"));
        });
    assertThat(mesh.leavesOf("both")).containsExactly("a");
    mesh.set(Resources.endpoints("late", "10.0.0.9"));

    assertThat(mesh.leavesOf("both")).containsExactly("a", "c");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.9");
  }

  @Conformance("A31-41")
  @Test
  void heldAggregateWhoseListChangesBeforeTheRoutesStaysAsItWas() {
    Mesh mesh = Mesh.serving("b").eds("a", "10.0.0.1");
    mesh.set(Resources.aggregate("both", "a")).set(Resources.routes("r1", "both", "b"));
    mesh.keep("both").set(Resources.aggregate("both", "new"));

    mesh.set(Resources.routes("r1", "b"));

    assertThat(mesh.config().virtualHost().clusters()).containsExactly("b");
    assertThat(mesh.leavesOf("both")).containsExactly("a");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.1");
    assertThat(mesh.watched(CLUSTER)).containsExactly("a", "b", "both", "new");
  }

  @Conformance("A31-41")
  @Test
  void heldAggregateKeepsALeafThatIsAnAggregateNow() {
    Mesh mesh = heldAggregate().eds("deep", "10.0.0.5");

    mesh.loop.inside(
        () -> {
          mesh.client.set(CLUSTER, "both", Resources.aggregate("both", "a", "new"));
          mesh.client.set(CLUSTER, "a", Resources.aggregate("a", "deep"));
        });

    assertThat(mesh.leavesOf("both")).containsExactly("a");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.1");
    mesh.eds("new", "10.0.0.8");
    assertThat(mesh.leavesOf("both")).containsExactly("deep", "new");
  }

  /** Routes lead to b; calls hold aggregate {@code both}, whose only leaf is a. */
  private static Mesh heldAggregate() {
    Mesh mesh = Mesh.serving("b").eds("a", "10.0.0.1");
    mesh.set(Resources.aggregate("both", "a")).set(Resources.routes("r1", "both", "b"));
    return mesh.keep("both").set(Resources.routes("r1", "b"));
  }

  @Test
  void clusterThatComesBackIsWatchedAnew() {
    Mesh mesh = Mesh.serving("a", "b").set(Resources.routes("r1", "b"));
    mesh.client.takeLog();

    mesh.set(Resources.endpoints("a", "10.0.0.9")); // nobody hears of it
    mesh.set(Resources.routes("r1", "a", "b"));

    assertThat(mesh.client.takeLog()).containsExactly("watch cds a", "watch eds a");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.9");
  }

  @Test
  void clusterThatIsKnownAlreadyIsTakenUpInOneTurn() {
    Mesh mesh = Mesh.serving("b").eds("a", "10.0.0.1");
    int before = mesh.published.size();
    List<Integer> behind = new ArrayList<>();

    mesh.loop.inside(
        () -> {
          mesh.client.set(ROUTE, "r1", Resources.routes("r1", "a", "b"));
          mesh.loop.execute(() -> behind.add(mesh.published.size()));
        });

    assertThat(behind).containsExactly(before + 1);
  }

  @Conformance("A74-01")
  @Test
  void endpointsAreNotPublishedWhileAClusterIsUnknown() {
    Mesh mesh = Mesh.serving("a").set(Resources.routes("r1", "a", "b"));
    int before = mesh.published.size();

    mesh.set(Resources.endpoints("a", "10.0.0.9"));
    assertThat(mesh.published).hasSize(before);
    mesh.eds("b", "10.0.0.2");

    assertThat(mesh.published).hasSize(before + 1);
    assertThat(mesh.ips("a")).containsExactly("10.0.0.9");
  }

  @Test
  void sameFailureIsPublishedOnce() {
    Mesh mesh = Mesh.serving("a").fail(LISTENER, "orders", GONE);
    int before = mesh.published.size();

    mesh.fail(LISTENER, "orders", GONE);
    assertThat(mesh.published).hasSize(before);
    mesh.fail(LISTENER, "orders", RpcStatus.internal("refused"));

    assertThat(mesh.published).hasSize(before + 1);
  }

  @Test
  void clusterThatCallsHoldBeforeTheListenerIsKnownWaitsForIt() {
    Mesh mesh = Mesh.started().keep("a");

    assertThat(mesh.published).isEmpty();
    mesh.loop.inside(() -> assertThat(mesh.manager.waitingFor()).contains("listener \"orders\""));
  }

  @Test
  void everyCallBelongsToTheControlLoop() {
    Mesh mesh = new Mesh();

    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            mesh.manager::start,
            () -> mesh.manager.keep(Set.of()),
            mesh.manager::requestReresolution,
            mesh.manager::waitingFor,
            mesh.manager::close)) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("control loop");
    }
  }

  @Test
  void heldClusterStaysWatchedWhileTheTargetFails() {
    Mesh mesh = Mesh.serving("a").keep("a");

    mesh.fail(LISTENER, "orders", GONE);

    assertThat(mesh.watched(CLUSTER)).containsExactly("a");
    assertThat(mesh.watched(ENDPOINT)).containsExactly("a");
  }

  @Conformance("A31-06")
  @Test
  void heldClusterGetsUpdatesWhileTheTargetFails() {
    Mesh mesh = Mesh.serving("a", "b").keep("a").fail(LISTENER, "orders", GONE);
    int failures = mesh.published.size();
    mesh.held.clear();

    mesh.set(Resources.endpoints("a", "10.0.0.9"));

    assertThat(mesh.held).singleElement().asInstanceOf(MAP).containsOnlyKeys("a");
    assertThat(mesh.held.get(0).get("a").toOptional())
        .map(config -> Mesh.ips((ClusterConfig.Leaf) config))
        .contains(List.of("10.0.0.9"));
    assertThat(mesh.published).as("the target fails as before").hasSize(failures);
  }

  @Test
  void heldClusterIsToldAgainOnlyWhenItChanged() {
    Mesh mesh = Mesh.serving("a", "b").keep("a").fail(ROUTE, "r1", GONE);
    mesh.held.clear();

    mesh.set(Resources.endpoints("a", "10.0.0.1"));
    mesh.ambient(LISTENER, "orders", "lost");

    assertThat(mesh.held).as("another note is another configuration").hasSize(1);
  }

  @Test
  void heldClusterThatIsLetGoDuringAFailureIsNotToldOfAnyMore() {
    Mesh mesh = Mesh.serving("a").keep("a").fail(LISTENER, "orders", GONE);
    mesh.held.clear();

    mesh.keep();

    assertThat(mesh.held).isEmpty();
    assertThat(mesh.watched(CLUSTER)).isEmpty();
  }
}
