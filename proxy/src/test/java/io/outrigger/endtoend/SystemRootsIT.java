package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The roots of the system (A82) of a running sidecar, whose file changes. */
@Timeout(600)
class SystemRootsIT {
  private static final TestAuthority OLD = TestAuthority.named("old root");
  private static final TestAuthority NEW = TestAuthority.named("new root");

  private static Backend secured(String name, TestAuthority authority) throws SSLException {
    TestIdentity identity = authority.issue("uri:spiffe://mesh/" + name);
    SslContextBuilder server = SslContextBuilder.forServer(identity.key(), identity.chain());
    return Backend.absent(name)
        .quiet()
        .speaking(GrpcSslContexts.configure(server, SslProvider.JDK).build())
        .revive();
  }

  private static String cluster() {
    String cluster = Xds.cluster("A");
    return cluster.substring(0, cluster.lastIndexOf('}'))
        + """
        ,"transport_socket":{"name":"envoy.transport_sockets.tls","typed_config":{"@type":
          "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
          "common_tls_context":{"validation_context":{"system_root_certs":{}}}}}}\
        """;
  }

  /** Those that the new roots trust stay, the others are left without a lost call. */
  @Test
  @Conformance({"A29-09", "A29-18"})
  void newRootsReplaceOnlyConnectionsThatTheyDoNotTrust(@TempDir Path folder) throws Exception {
    Path roots = folder.resolve("roots.pem");
    Files.writeString(roots, OLD.rootPem() + NEW.rootPem());
    try (Backend left = secured("left", OLD);
        Backend kept = secured("kept", NEW)) {
      Path resources = folder.resolve("resources.json");
      Files.writeString(
          resources,
          "{\"resources\":["
              + String.join(
                  ",",
                  cluster(),
                  Xds.endpoints("A", left, kept),
                  Xds.listener("orders", "routes"),
                  Xds.routesTo("routes", "A"))
              + "]}");
      try (var sidecar =
              OutriggerProcess.start(
                  folder,
                  Map.of("SSL_CERT_FILE", roots.toString()),
                  "run",
                  "--resources",
                  resources.toString(),
                  "--forward",
                  "orders@0=xds:///orders",
                  "--admin",
                  "0",
                  "--threads",
                  "1");
          var app = new App(local(sidecar.awaitReady(200).port("orders")));
          var load = new Load(app, "pay.Pay/Do", 100)) {
        load.awaitMore("left", 20);
        load.awaitMore("kept", 20);
        int before = kept.connections();

        TestIdentity.replace(roots, NEW.rootPem());

        Await.until("the old one is left", () -> left.openConnections() == 0);
        load.awaitMore("kept", 50);
        assertThat(load.failures()).isEmpty();
        assertThat(kept.connections()).isEqualTo(before);
        assertThat(sidecar.get("/events?format=json").body())
            .contains("\"system\"", "in use now: 2 roots", "in use now: 1 roots");
      }
    }
  }

  private static InetSocketAddress local(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }
}
