package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.testing.Await;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The certificate files of a running sidecar (A29), as operators see them. */
@Timeout(600)
class CertificatesIT {
  private static final TestAuthority AUTHORITY = TestAuthority.named("mesh root");
  private static final TestIdentity IDENTITY =
      AUTHORITY.intermediate("issuing").issue("uri:spiffe://mesh/orders", "dns:orders");

  private final Mesh mesh = new Mesh();

  @TempDir private Path folder;
  private Path chain = Path.of("");
  private Path key = Path.of("");
  private Path roots = Path.of("");

  @BeforeEach
  void configure() {
    chain = folder.resolve("chain.pem");
    key = folder.resolve("key.pem");
    roots = folder.resolve("roots.pem");
    mesh.certificateProviders(
        """
        {"default":{"plugin_name":"file_watcher","config":{"certificate_file":"%s",
          "private_key_file":"%s","ca_certificate_file":"%s"}},
         "other":{"plugin_name":"vault"}}"""
            .formatted(chain, key, roots));
  }

  @AfterEach
  void close() {
    mesh.close();
  }

  private void write() throws IOException {
    Files.writeString(roots, AUTHORITY.rootPem());
    Files.writeString(key, IDENTITY.keyPem());
    Files.writeString(chain, IDENTITY.chainPem());
  }

  private JsonObject provider() {
    JsonArray all = JsonParser.parseString(mesh.admin().get("/certs").body()).getAsJsonArray();
    assertThat(all).hasSize(2);
    assertThat(all.get(1).getAsJsonObject().get("error").getAsString())
        .contains("its plugin is not known here");
    return all.get(0).getAsJsonObject();
  }

  @Test
  void filesThatAppearAreInUseAndShown() throws Exception {
    Backend backend = mesh.backend("a");
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", backend),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.startReady();
    Await.until("the lack is told", () -> !provider().get("error").isJsonNull());
    JsonObject before = provider();
    assertThat(before.keySet())
        .containsExactly("instance", "plugin", "certificates", "roots", "loaded", "error");
    assertThat(before.get("loaded").isJsonNull()).isTrue();
    assertThat(before.get("error").getAsString())
        .contains("certificate_file " + chain + " does not exist");
    assertThat(mesh.admin().get("/metrics").body())
        .doesNotContain("outrigger_certificate_expiration_timestamp_seconds{");

    write();
    Await.until("they are in use", () -> provider().get("error").isJsonNull());

    JsonObject provider = provider();
    assertThat(provider.get("instance").getAsString()).isEqualTo("default");
    assertThat(provider.get("plugin").getAsString()).isEqualTo("file_watcher");
    assertThat(Instant.parse(provider.get("loaded").getAsString())).isBefore(Instant.MAX);
    assertThat(provider.getAsJsonArray("certificates")).hasSize(2);
    JsonObject leaf = provider.getAsJsonArray("certificates").get(0).getAsJsonObject();
    assertThat(leaf.keySet())
        .containsExactly("subject", "uri_sans", "dns_sans", "serial", "not_before", "not_after");
    assertThat(leaf.get("uri_sans").toString()).isEqualTo("[\"spiffe://mesh/orders\"]");
    assertThat(leaf.get("dns_sans").toString()).isEqualTo("[\"orders\"]");
    assertThat(leaf.get("serial").getAsString())
        .isEqualTo(IDENTITY.certificate().getSerialNumber().toString(16));
    assertThat(leaf.get("not_after").getAsString())
        .isEqualTo(IDENTITY.certificate().getNotAfter().toInstant().toString());
    assertThat(
            provider.getAsJsonArray("roots").get(0).getAsJsonObject().get("subject").getAsString())
        .isEqualTo("CN=mesh root");
    String events = mesh.admin().get("/events?format=json").body();
    assertThat(events).contains("certificate_failed", "certificate_loaded");
    double end =
        IDENTITY.chain().stream()
            .mapToDouble(each -> each.getNotAfter().toInstant().getEpochSecond())
            .min()
            .orElseThrow();
    assertThat(mesh.admin().get("/metrics").body())
        .contains(
            "outrigger_certificate_expiration_timestamp_seconds{instance=\"default\"} " + end);
    String body = IDENTITY.keyPem().lines().skip(1).findFirst().orElseThrow();
    for (String path : List.of("/certs", "/metrics", "/events?format=json", "/config_dump")) {
      assertThat(mesh.admin().get(path).body()).doesNotContain(body);
    }
  }

  /** Files are read on a thread of their own, which ends with the sidecar. */
  @Test
  void aBusyCommonPoolDelaysNoCertificate() throws Exception {
    write();
    var over = new CountDownLatch(1);
    try {
      for (int i = 0; i <= ForkJoinPool.getCommonPoolParallelism(); i++) {
        ForkJoinPool.commonPool().execute(() -> awaitEnd(over));
      }
      mesh.start();

      Await.until(
          "they are in use",
          () -> mesh.admin().get("/events?format=json").body().contains("\"certificate_loaded\""));
      assertThat(threads()).contains("certificates");
    } finally {
      over.countDown();
    }
    mesh.close();
    Await.until("it has ended", () -> !threads().contains("certificates"));
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
  }

  private static void awaitEnd(CountDownLatch over) {
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
