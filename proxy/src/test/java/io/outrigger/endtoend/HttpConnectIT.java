package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Backends that are reached through an HTTP proxy (A86). */
@Timeout(600)
class HttpConnectIT {
  private final Mesh mesh = new Mesh();
  private final HttpProxy proxy = mesh.keep(new HttpProxy());

  @AfterEach
  void close() {
    mesh.close();
  }

  /** One cluster and backend, with the proxy in the metadata of the endpoint. */
  private Backend serve(boolean clusterUsesIt, boolean endpointNamesIt) {
    Backend backend = mesh.backend("a");
    String socket =
        """
        ,"transport_socket":{"name":"connect","typed_config":{"@type":
          "type.googleapis.com/envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport"}}}""";
    String metadata =
        """
        {"metadata":{"typed_filter_metadata":{"envoy.http11_proxy_transport_socket.proxy_address":
          {"@type":"type.googleapis.com/envoy.config.core.v3.Address",
           "socket_address":{"address":"127.0.0.1","port_value":%d}}}},"endpoint":{"""
            .formatted(proxy.port());
    String cluster = Xds.cluster("A");
    String endpoints = Xds.endpoints("A", backend);
    mesh.controlPlane.serve(
        clusterUsesIt ? cluster.substring(0, cluster.lastIndexOf('}')) + socket : cluster,
        endpointNamesIt ? endpoints.replace("{\"endpoint\":{", metadata) : endpoints,
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    return backend;
  }

  @Conformance("A86-01")
  @Test
  void theProxyIsAskedToConnectAndCallsGoThroughIt() throws Exception {
    Backend backend = serve(true, true);
    mesh.startReady();
    App app = mesh.app();

    for (int i = 0; i < 5; i++) {
      assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");
    }

    assertThat(mesh.controlPlane.nacks()).isEmpty();
    assertThat(proxy.asked())
        .isNotEmpty()
        .containsOnly("CONNECT 127.0.0.1:" + backend.port() + " HTTP/1.1");
  }

  @Conformance({"A86-01", "A86-02"})
  @Test
  void withoutBothHalvesOfTheConfigurationConnectionsAreDirect() throws Exception {
    serve(true, false);
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");

    Backend other = serve(false, true);
    Await.until(
        "the new backend is used",
        () -> {
          app.call("test.Pay/Charge");
          return other.started() > 0;
        });

    assertThat(proxy.asked()).isEmpty();
  }

  @Conformance("A86-02")
  @Test
  void aRefusalFailsTheAttemptAndIsTold() throws Exception {
    proxy.answers("403 Forbidden");
    serve(true, true);
    mesh.startReady();

    App app = mesh.app();
    App.Reply reply = app.call("test.Pay/Charge");

    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.message())
        .contains("proxy 127.0.0.1:" + proxy.port())
        .contains("403 Forbidden");

    proxy.agrees();
    Await.until("it is tried again", () -> app.call("test.Pay/Charge").status().isOk());
  }
}
