package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What route matchers see of a request. */
@Timeout(600)
class RouteMatchIT {
  private final Mesh mesh = new Mesh();
  private final ControlPlane controlPlane = mesh.controlPlane;

  @AfterEach
  void close() {
    mesh.close();
  }

  /** Those too that go no further than the sidecar. */
  @Conformance("A31-42")
  @Test
  void routesAreChosenByTheHeadersThatTheAppSent() throws Exception {
    Backend matched = mesh.backend("matched");
    controlPlane.serve(Xds.cluster("matched"), Xds.endpoints("matched", matched));
    controlPlane.serve(Xds.listener("orders", "routes"));
    controlPlane.serve(
        Xds.routes("routes", Xds.host("*", present(App.WAIT_FOR_READY), present("proxy-flavor"))));
    mesh.startReady();
    App app = mesh.app();

    assertThat(app.call("test.Pay/Charge").local()).isEqualTo("no_route");
    assertThat(app.call("test.Pay/Charge", "proxy-flavor", "a").backend()).isEqualTo("matched");
    assertThat(app.call("test.Pay/Charge", App.WAIT_FOR_READY, "true").backend())
        .isEqualTo("matched");
    assertThat(matched.lastHeard().header(App.WAIT_FOR_READY)).isEmpty();
  }

  @Conformance("A28-08")
  @Test
  void binaryAndPseudoHeadersAreInvisibleToMatchers() throws Exception {
    controlPlane.serve(Xds.cluster("A"), Xds.endpoints("A", mesh.backend("a")));
    controlPlane.serve(Xds.cluster("matched"), Xds.endpoints("matched", mesh.backend("matched")));
    controlPlane.serve(Xds.listener("orders", "routes"));
    controlPlane.serve(
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                present("x-token-bin"),
                present(":path"),
                present(":authority"),
                """
                {"match":{"prefix":"/typed.","headers":[{"name":"content-type",
                   "string_match":{"exact":"application/grpc"}}]},"route":{"cluster":"matched"}}""",
                Xds.route("", "A"))));
    mesh.startReady();
    App app = mesh.app();

    assertThat(app.call("test.Pay/Charge", "x-token", "1").backend()).isEqualTo("a");
    assertThat(app.callWithBinary("test.Pay/Charge", "x-token-bin").backend()).isEqualTo("a");
    assertThat(app.call("typed.Pay/Charge").backend()).isEqualTo("matched");
  }

  private static String present(String header) {
    return """
        {"match":{"prefix":"/","headers":[{"name":"%s","present_match":true}]},
         "route":{"cluster":"matched"}}"""
        .formatted(header);
  }
}
