package io.outrigger.endtoend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.TlsServerCredentials;
import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Under a bootstrap as the generator of Cloud Service Mesh writes it: a control plane over TLS that
 * demands a token, and a metadata server that has it.
 */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class GoogleDefaultIT {
  private static final TestAuthority AUTHORITY = TestAuthority.named("system root");
  private static final String TOKEN = "ya29.c.b0Aaekm1K-the-secret_of~the/account";
  private static final String GOOD =
      "{\"access_token\":\"%s\",\"expires_in\":3599,\"token_type\":\"Bearer\"}".formatted(TOKEN);
  private static final String MESH = "xdstp://traffic-director-global.xds.googleapis.com/";
  private static final String LISTENERS =
      MESH + "envoy.config.listener.v3.Listener/123456789012345/mesh:shop/";

  private final Queue<String> asked = new ConcurrentLinkedQueue<>();
  private final Queue<String> shown = new ConcurrentLinkedQueue<>();
  private volatile String answer = GOOD;

  @TempDir private Path folder;
  private HttpServer metadata = server();

  private static HttpServer server() {
    try {
      return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void start() {
    metadata.createContext("/", this::answer);
    metadata.start();
  }

  @AfterEach
  void stop() {
    metadata.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    asked.add(
        exchange.getRequestURI().getPath()
            + " "
            + exchange.getRequestHeaders().get("Metadata-Flavor"));
    exchange.getResponseHeaders().add("Metadata-Flavor", "Google");
    byte[] body = answer.getBytes(UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  /** Notes what calls show, and lets those in that have the token. */
  private final class Gate implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      String authorization =
          String.valueOf(
              headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER)));
      shown.add(authorization);
      if (authorization.equals("Bearer " + TOKEN)) {
        return next.startCall(call, headers);
      }
      call.close(Status.UNAUTHENTICATED.withDescription("no token"), new Metadata());
      return new ServerCall.Listener<>() {};
    }
  }

  private ControlPlane controlPlane(String name) throws IOException {
    TestIdentity identity = AUTHORITY.issue(name);
    return new ControlPlane(
        TlsServerCredentials.create(
            new ByteArrayInputStream(identity.chainPem().getBytes(UTF_8)),
            new ByteArrayInputStream(identity.keyPem().getBytes(UTF_8))),
        List.of(new Gate()));
  }

  private static void serve(ControlPlane controlPlane, Backend backend) {
    String routes = MESH + "envoy.config.route.v3.RouteConfiguration/URL_MAP/123456789012345_map";
    controlPlane.serve(
        Xds.cluster("cloud-internal-istio:cloud_mp_1_2"),
        Xds.endpoints("cloud-internal-istio:cloud_mp_1_2", backend),
        Xds.listener(LISTENERS + "orders:8080", routes),
        Xds.routes(
            routes, Xds.host("orders:8080", Xds.route("/", "cloud-internal-istio:cloud_mp_1_2"))));
  }

  /** By the shape of what the generator writes; of a pod whose certificates are not there. */
  private String bootstrap(ControlPlane controlPlane) throws IOException {
    String json =
        """
        {
          "xds_servers": [
            {
              "server_uri": "%s",
              "channel_creds": [{"type": "google_default"}],
              "server_features": ["xds_v3"]
            }
          ],
          "authorities": {
            "traffic-director-c2p.xds.googleapis.com": {
              "xds_servers": [
                {
                  "server_uri": "dns:///directpath-pa.googleapis.com",
                  "channel_creds": [{"type": "google_default"}],
                  "server_features": ["xds_v3", "ignore_resource_deletion"]
                }
              ],
              "client_listener_resource_name_template": "xdstp://traffic-director-c2p.xds.googleapis.com/envoy.config.listener.v3.Listener/%%s"
            },
            "traffic-director-global.xds.googleapis.com": {
              "client_listener_resource_name_template": "%s%%s"
            }
          },
          "node": {
            "id": "projects/123456789012345/networks/mesh:shop/nodes/9566c74d-1003-4c4d-bbbb-0407d1e2c649",
            "cluster": "cluster",
            "metadata": {
              "INSTANCE_IP": "10.9.8.7",
              "TRAFFICDIRECTOR_CLIENT_ENVIRONMENT": {"gcp": {"gke": {"cluster": "c"}}},
              "TRAFFICDIRECTOR_GCP_PROJECT_NUMBER": "123456789012345",
              "TRAFFICDIRECTOR_MESH_SCOPE_NAME": "shop",
              "TRAFFICDIRECTOR_NETWORK_NAME": "default"
            },
            "locality": {"zone": "us-central1-a"}
          },
          "certificate_providers": {
            "google_cloud_private_spiffe": {
              "plugin_name": "file_watcher",
              "config": {
                "certificate_file": "/var/run/gke-spiffe/certs/certificates.pem",
                "private_key_file": "/var/run/gke-spiffe/certs/private_key.pem",
                "ca_certificate_file": "/var/run/gke-spiffe/certs/ca_certificates.pem",
                "refresh_interval": "600s"
              }
            }
          },
          "server_listener_resource_name_template": "grpc/server?xds.resource.listening_address=%%s",
          "client_default_listener_resource_name_template": "%s%%s"
        }
        """
            .formatted(controlPlane.target(), LISTENERS, LISTENERS);
    return Files.writeString(folder.resolve("bootstrap.json"), json).toString();
  }

  private Map<String, String> environment() throws IOException {
    Path roots = Files.writeString(folder.resolve("roots.pem"), AUTHORITY.rootPem());
    return Map.of(
        "SSL_CERT_FILE",
        roots.toString(),
        "GCE_METADATA_HOST",
        "127.0.0.1:" + metadata.getAddress().getPort());
  }

  private OutriggerProcess run(ControlPlane controlPlane) throws IOException {
    return run(controlPlane, "--forward", "orders@0=xds:///orders:8080");
  }

  private OutriggerProcess run(ControlPlane controlPlane, String flag, String value)
      throws IOException {
    return OutriggerProcess.start(
        folder,
        environment(),
        "run",
        "--bootstrap",
        bootstrap(controlPlane),
        flag,
        value,
        "--admin",
        "0",
        "--threads",
        "1",
        "--log-level",
        "DEBUG");
  }

  private static App app(OutriggerProcess sidecar) {
    return new App(new InetSocketAddress(InetAddress.getLoopbackAddress(), sidecar.port("orders")));
  }

  @Test
  @Conformance({"DI-05", "DI-06"})
  void theBootstrapStartsAsItIsAndTheTokenIsShownToTheControlPlaneAlone() throws Exception {
    try (var controlPlane = controlPlane("ip:127.0.0.1");
        Backend backend = Backend.start("a")) {
      serve(controlPlane, backend);
      try (OutriggerProcess sidecar = run(controlPlane).awaitReady(200);
          App app = app(sidecar)) {
        assertThat(app.call("pay.Pay/Do").backend()).isEqualTo("a");

        assertThat(shown).isNotEmpty().containsOnly("Bearer " + TOKEN);
        assertThat(asked)
            .containsExactly(
                "/computeMetadata/v1/instance/service-accounts/default/token [Google]");
        assertThat(controlPlane.requests().get(0).getNode().getId()).contains("networks/mesh:shop");
        Stream.of(
                "/config_dump",
                "/xds",
                "/events?format=json",
                "/metrics",
                "/certs",
                "/forwards",
                "/lb",
                "/history",
                "/")
            .forEach(path -> assertThat(sidecar.get(path).body()).as(path).doesNotContain(TOKEN));
        assertThat(sidecar.errorText()).contains("DEBUG").doesNotContain(TOKEN);
        assertThat(String.join("\n", sidecar.outLines())).doesNotContain(TOKEN);
      }
    }
  }

  @Test
  @Conformance("IST-06")
  void theBootstrapServesTheListenerThatItsTemplateNames() throws Exception {
    try (var controlPlane = controlPlane("ip:127.0.0.1");
        var port = RefusingPort.any();
        Backend backend = Backend.start("a")) {
      String listen = "127.0.0.1:" + port.number();
      controlPlane.serve(
          Xds.serverListener(
              "grpc/server?xds.resource.listening_address=" + listen,
              "127.0.0.1",
              port.number(),
              Xds.rds("inbound")),
          Xds.servedRoutes("inbound", "/"));
      String app = "127.0.0.1:" + backend.port();
      try (OutriggerProcess sidecar =
              run(controlPlane, "--serve", listen + "=" + app).awaitReady(200);
          App caller =
              new App(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number()))) {
        assertThat(caller.call("pay.Pay/Do").backend()).isEqualTo("a");
        assertThat(sidecar.get("/listeners").body()).contains("SERVING");
      }
    }
  }

  @Test
  @Conformance("DI-05")
  void withoutATokenTheStreamSaysWhyUntilThereIsOne() throws Exception {
    answer = "<html>sign in</html>";
    try (var controlPlane = controlPlane("ip:127.0.0.1");
        Backend backend = Backend.start("a")) {
      serve(controlPlane, backend);
      try (OutriggerProcess sidecar = run(controlPlane).awaitReady(503)) {
        Await.until(
            "the reason is told",
            () -> sidecar.get("/xds").body(),
            () ->
                sidecar
                    .get("/xds")
                    .body()
                    .contains("answered something that is not a JSON object"));
        assertThat(sidecar.get("/live").statusCode()).isEqualTo(200);
        assertThat(shown).isEmpty();

        answer = GOOD;

        sidecar.awaitReady(200);
        try (App app = app(sidecar)) {
          assertThat(app.call("pay.Pay/Do").backend()).isEqualTo("a");
        }
        assertThat(shown).containsOnly("Bearer " + TOKEN);
      }
    }
  }

  @Test
  @Conformance("DI-05")
  void aControlPlaneOfAnotherNameGetsNoToken() throws Exception {
    try (var controlPlane = controlPlane("dns:another.example");
        OutriggerProcess sidecar = run(controlPlane).awaitReady(503)) {
      Await.until(
          "the stream has failed",
          () -> sidecar.get("/xds").body(),
          () -> sidecar.get("/xds").body().contains("connectivityError"));

      assertThat(shown).isEmpty();
      assertThat(asked).isEmpty();
    }
  }

  @Test
  @Conformance("DI-05")
  void aKeyFileThatIsMissingEndsTheStartAndIsFoundByValidate() throws Exception {
    String key = folder.resolve("key.json").toString();
    var environment = Map.of("GOOGLE_APPLICATION_CREDENTIALS", key);
    try (var controlPlane = controlPlane("ip:127.0.0.1")) {
      String bootstrap = bootstrap(controlPlane);
      String expected =
          "outrigger: %s (--bootstrap): xds server %s: google_default credentials:"
                  .formatted(bootstrap, controlPlane.target())
              + " GOOGLE_APPLICATION_CREDENTIALS %s does not exist".formatted(key);

      try (var start =
          OutriggerProcess.start(
              folder,
              environment,
              "run",
              "--bootstrap",
              bootstrap,
              "--forward",
              "orders@0=xds:///orders:8080",
              "--admin",
              "off")) {
        assertThat(start.awaitExit()).isEqualTo(2);
        assertThat(start.errorLines()).last().asString().startsWith(expected);
      }
      try (var validate =
          OutriggerProcess.start(folder, environment, "validate", "--bootstrap", bootstrap)) {
        assertThat(validate.awaitExit()).isEqualTo(2);
        assertThat(validate.outLines())
            .anyMatch(line -> line.endsWith(expected.substring("outrigger: ".length())));
      }
      assertThat(shown).isEmpty();
    }
  }
}
