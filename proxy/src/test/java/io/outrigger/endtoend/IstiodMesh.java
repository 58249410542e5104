package io.outrigger.endtoend;

import io.outrigger.base.WaitingClock;
import io.outrigger.testing.Await;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A real istiod that is the CA of its mesh and gets istio's configuration from files. It can be
 * killed and come back on its ports.
 */
final class IstiodMesh implements AutoCloseable {
  /** A workload, with the address that istiod knows it by. */
  record Pod(String ip, String name, boolean tlsLabel) {
    String labels() {
      String tls = tlsLabel ? ",\"security.istio.io/tlsMode\":\"istio\"" : "";
      return "{\"app\":\"" + name + "\"" + tls + "}";
    }

    String node() {
      return "sidecar~" + ip + "~" + name + ".shop~shop.svc.cluster.local";
    }
  }

  private static final Duration START = Duration.ofSeconds(60);

  private final EmptyKubernetes kubernetes = new EmptyKubernetes();
  private final TestAuthority root = TestAuthority.named("mesh root");
  private final Path folder = Files.createTempDirectory("istiod");
  private final Path program;
  private final int port = freePort();
  private final int securePort = freePort();
  private Process process;

  IstiodMesh(Path program) throws IOException {
    this.program = program;
    Files.createDirectory(folder.resolve("config"));
    Files.createDirectory(folder.resolve("ca"));
    write("ca/ca-cert.pem", root.rootPem());
    write("ca/cert-chain.pem", root.rootPem());
    write("ca/root-cert.pem", root.rootPem());
    write("ca/ca-key.pem", root.keyPem());
    write("kubeconfig", kubernetes.kubeconfig());
    write("mesh.yaml", "{trustDomainAliases: [old.example]}\n");
    process = launch();
  }

  private void write(String name, String text) {
    try {
      TestIdentity.replace(folder.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process launch() throws IOException {
    var builder =
        new ProcessBuilder(
            program.toString(),
            "discovery",
            "--kubeconfig=" + folder.resolve("kubeconfig"),
            "--configDir=" + folder.resolve("config"),
            "--meshConfig=" + folder.resolve("mesh.yaml"),
            "--grpcAddr=127.0.0.1:" + port,
            "--secureGRPCAddr=127.0.0.1:" + securePort,
            "--httpAddr=127.0.0.1:0",
            "--monitoringAddr=127.0.0.1:0",
            "--httpsAddr=",
            "--ctrlz_port=0");
    builder.environment().put("POD_NAMESPACE", "istio-system");
    builder.environment().put("ROOT_CA_DIR", folder.resolve("ca").toString());
    builder.environment().put("ISTIOD_CUSTOM_HOST", "127.0.0.1");
    builder.environment().put("INJECT_ENABLED", "false");
    builder.environment().put("VALIDATION_ENABLED", "false");
    builder.environment().put("PILOT_ENABLE_METADATA_EXCHANGE", "false");
    builder.environment().put("PILOT_ENABLE_ALPN_FILTER", "false");
    Path log = folder.resolve("log");
    Process started =
        builder
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    boolean listens =
        Await.within(
            START, () -> !started.isAlive() || (isListening(port) && isListening(securePort)));
    if (!listens || !started.isAlive()) {
      started.destroyForcibly();
      throw new IOException("istiod did not start: " + Files.readString(log).strip());
    }
    return started;
  }

  /** The root of the mesh, whose key istiod has. */
  TestAuthority root() {
    return root;
  }

  int port() {
    return port;
  }

  /** Gives istiod one more file of its configuration, or another text of one. */
  void apply(String name, String yaml) {
    write("config/" + name + ".yaml", yaml);
  }

  void remove(String name) throws IOException {
    Files.delete(folder.resolve("config/" + name + ".yaml"));
  }

  /** The bootstrap of a pod that has no agent: a token and the root of the CA are all it has. */
  String bootstrap(Pod pod) {
    write(pod.name() + ".token", "token-of/shop/" + pod.name());
    return bootstrap(
        pod,
        """
        {"plugin_name":"istio_ca","config":{"ca_address":"127.0.0.1:%d","ca_root_file":"%s",
          "token_file":"%s","cluster_id":"Kubernetes"}}"""
            .formatted(
                securePort,
                folder.resolve("ca/root-cert.pem"),
                folder.resolve(pod.name() + ".token")));
  }

  /** The bootstrap of a pod whose certificate is in files, as istio's agent writes them. */
  String bootstrapWithFiles(Pod pod, TestIdentity identity) {
    write(pod.name() + ".key", identity.keyPem());
    write(pod.name() + ".chain", identity.chainPem());
    return bootstrap(
        pod,
        """
        {"plugin_name":"file_watcher","config":{"certificate_file":"%1$s.chain",
          "private_key_file":"%1$s.key","ca_certificate_file":"%2$s"}}"""
            .formatted(folder.resolve(pod.name()), folder.resolve("ca/root-cert.pem")));
  }

  private String bootstrap(Pod pod, String certificates) {
    return """
        {"xds_servers":[{"server_uri":"127.0.0.1:%d","channel_creds":[{"type":"insecure"}],
          "server_features":["xds_v3"]}],
         "server_listener_resource_name_template":"xds.istio.io/grpc/lds/inbound/%%s",
         "certificate_providers":{"default":%s},
         "node":{"id":"%s","metadata":{"GENERATOR":"grpc","NAMESPACE":"shop",
           "CLUSTER_ID":"Kubernetes","LABELS":%s}}}"""
        .formatted(port, certificates, pod.node(), pod.labels());
  }

  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  void revive() throws IOException {
    process = launch();
  }

  /** Returns the output of istiod so far. */
  String log() throws IOException {
    return Files.readString(folder.resolve("log"));
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    process.onExit().completeOnTimeout(process, 15, TimeUnit.SECONDS).join();
    process.destroyForcibly().onExit().join();
    kubernetes.close();
    try (var files = Files.walk(folder)) {
      List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : all) {
        Files.delete(file);
      }
    }
  }

  static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static boolean isListening(int port) {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
      WaitingClock.sleep(Duration.ofMillis(50));
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }
}
