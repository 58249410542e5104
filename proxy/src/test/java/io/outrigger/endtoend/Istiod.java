package io.outrigger.endtoend;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A real istiod: the {@code pilot-discovery} that {@code OUTRIGGER_ISTIOD} names, with istio's
 * configuration from a file and a Kubernetes API in which there is nothing.
 */
final class Istiod implements AutoCloseable {
  static final String TARGET = "xds:///pay.shop.example:7070";
  static final String CLUSTER = "outbound|7070||pay.shop.example";
  static final String MISSING =
      "OUTRIGGER_ISTIOD names no pilot-discovery; see docs/extend/proofs.md";

  private final EmptyKubernetes kubernetes;
  private final RealServer server;

  private Istiod(EmptyKubernetes kubernetes, RealServer server) {
    this.kubernetes = kubernetes;
    this.server = server;
  }

  /** The program, where there is one. */
  static Optional<Path> installed() {
    return Optional.ofNullable(System.getenv("OUTRIGGER_ISTIOD"))
        .filter(name -> !name.isEmpty())
        .map(Path::of)
        .filter(Files::isExecutable);
  }

  /** One that has the two endpoints. */
  static Istiod start(Path program, Backend first, Backend second) throws IOException {
    var kubernetes = new EmptyKubernetes();
    try {
      return new Istiod(
          kubernetes,
          RealServer.start(
              (folder, port) -> {
                Path config = Files.createDirectory(folder.resolve("config"));
                Files.writeString(
                    config.resolve("pay.yaml"), filled(text("pay.yaml"), first, second));
                Path mesh = Files.writeString(folder.resolve("mesh.yaml"), "{}\n");
                Path access = folder.resolve("kubeconfig");
                Files.writeString(access, kubernetes.kubeconfig());
                return List.of(
                    "env",
                    "POD_NAMESPACE=istio-system",
                    "ENABLE_CA_SERVER=false",
                    "INJECT_ENABLED=false",
                    "VALIDATION_ENABLED=false",
                    program.toString(),
                    "discovery",
                    "--kubeconfig=" + access,
                    "--configDir=" + config,
                    "--meshConfig=" + mesh,
                    "--grpcAddr=127.0.0.1:" + port,
                    "--httpAddr=127.0.0.1:0",
                    "--monitoringAddr=127.0.0.1:0",
                    "--httpsAddr=",
                    "--secureGRPCAddr=",
                    "--ctrlz_port=0");
              }));
    } catch (IOException | RuntimeException e) {
      kubernetes.close();
      throw e;
    }
  }

  /** The bootstrap of an app without istio's agent beside it. */
  String bootstrap() {
    return """
        {"xds_servers":[{"server_uri":"127.0.0.1:%d","channel_creds":[{"type":"insecure"}],
          "server_features":["xds_v3"]}],
         "node":{"id":"sidecar~127.0.0.1~orders.shop~shop.svc.cluster.local",
          "metadata":{"GENERATOR":"grpc","NAMESPACE":"shop","CLUSTER_ID":"Kubernetes"}}}"""
        .formatted(server.address().getPort());
  }

  /** What one of August 2026 sent of the same configuration, resource by resource. */
  static List<String> sent(Backend first, Backend second) {
    JsonArray resources =
        JsonParser.parseString(filled(text("pay.sent.json"), first, second)).getAsJsonArray();
    List<String> texts = new ArrayList<>();
    resources.forEach(each -> texts.add(each.toString()));
    return texts;
  }

  /** The resources in an answer of {@code /config_dump}. */
  static List<String> resources(JsonObject dump) {
    List<String> texts = new ArrayList<>();
    for (JsonElement each : dump.getAsJsonArray("genericXdsConfigs")) {
      texts.add(each.getAsJsonObject().get("xdsConfig").toString());
    }
    return texts;
  }

  private static String text(String name) {
    try (InputStream file = Istiod.class.getResourceAsStream("/istiod/" + name)) {
      if (file == null) {
        throw new AssertionError("no " + name);
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(name, e);
    }
  }

  private static String filled(String text, Backend first, Backend second) {
    return text.replace("${first}", "" + first.port()).replace("${second}", "" + second.port());
  }

  @Override
  public void close() {
    server.close();
    kubernetes.close();
  }
}
