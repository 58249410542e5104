package io.outrigger.xds.deps;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ENDPOINT;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.deps.Mesh.GONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.Resources;
import org.junit.jupiter.api.Test;

class ResolutionNotesTest {
  @Conformance("A88-24")
  @Test
  void withoutErrorsTheNoteIsTheNodeId() {
    assertThat(Mesh.serving("a").note("a")).isEqualTo("xDS node ID: node-1");
  }

  @Conformance("A88-24")
  @Test
  void withoutAControlPlaneThereIsNoNodeToName() {
    var notes = new ResolutionNotes("", RpcStatus.OK, RpcStatus.OK);

    assertThat(notes.note(RpcStatus.OK, RpcStatus.OK)).isEmpty();
    assertThat(notes.failure("refused")).isEqualTo(RpcStatus.unavailable("refused"));
  }

  @Conformance("A88-23")
  @Test
  void listenerAndRoutesConcernEveryClusterOthersTheirOwn() {
    Mesh mesh = Mesh.serving("a", "b", "c");

    mesh.ambient(ROUTE, "r1", "routes refused");
    mesh.ambient(CLUSTER, "a", "a refused");
    mesh.ambient(ENDPOINT, "b", "b endpoints refused");

    assertThat(mesh.note("a")).isEqualTo("routes refused; a refused");
    assertThat(mesh.note("b")).isEqualTo("routes refused; b endpoints refused");
    assertThat(mesh.note("c")).isEqualTo("routes refused");
  }

  @Conformance("A88-25")
  @Test
  void errorsAreJoinedInTheOrderOfTheResources() {
    Mesh mesh = Mesh.serving("a");

    mesh.ambient(ENDPOINT, "a", "4").ambient(CLUSTER, "a", "3");
    mesh.ambient(ROUTE, "r1", "2").ambient(LISTENER, "orders", "1");

    assertThat(mesh.note("a")).isEqualTo("1; 2; 3; 4");
  }

  @Conformance("A88-22")
  @Test
  void lostControlPlaneIsNamedOnce() {
    Mesh mesh = Mesh.serving("a");

    String text = "control plane cp:18000: connection refused";
    mesh.ambient(LISTENER, "orders", text).ambient(ROUTE, "r1", text);
    mesh.ambient(CLUSTER, "a", text).ambient(ENDPOINT, "a", text);

    assertThat(mesh.note("a")).isEqualTo(text);
  }

  @Test
  void clearedErrorAndNewVersionRestoreTheNodeId() {
    Mesh mesh = Mesh.serving("a").ambient(ROUTE, "r1", "lost").ambient(CLUSTER, "a", "refused");

    mesh.ambient(ROUTE, "r1", RpcStatus.OK).set(Resources.eds("a"));

    assertThat(mesh.note("a")).isEqualTo("xDS node ID: node-1");
  }

  @Test
  void reasonThatNamesTheResourceIsNotPrefixedAgain() {
    Mesh mesh = Mesh.serving("a");

    mesh.fail(CLUSTER, "a", RpcStatus.internal("cluster \"a\" does not exist"));

    assertThat(mesh.cluster("a").status().message())
        .isEqualTo("cluster \"a\" does not exist; xDS node ID: node-1");
  }

  @Test
  void errorWithoutTextIsItsCode() {
    Mesh mesh = Mesh.serving("a");

    mesh.ambient(CLUSTER, "a", new RpcStatus(RpcStatus.Code.ABORTED, ""));

    assertThat(mesh.note("a")).isEqualTo("ABORTED");
  }

  @Conformance("A88-20")
  @Test
  void failuresOfClustersEndWithTheNote() {
    Mesh mesh = Mesh.serving("a", "b").ambient(LISTENER, "orders", "lost");

    mesh.fail(CLUSTER, "a", GONE);

    assertThat(mesh.cluster("a").status())
        .isEqualTo(new RpcStatus(RpcStatus.Code.NOT_FOUND, "cluster \"a\": does not exist; lost"));
  }

  @Test
  void failureOfTheRoutesEndsWithTheErrorOfTheListener() {
    Mesh mesh = Mesh.serving("a").ambient(LISTENER, "orders", "lost");

    mesh.fail(ROUTE, "r1", GONE);

    assertThat(mesh.last().status())
        .isEqualTo(RpcStatus.unavailable("route configuration \"r1\": does not exist; lost"));
  }
}
