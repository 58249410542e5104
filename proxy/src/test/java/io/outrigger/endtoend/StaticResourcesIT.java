package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.xds.testing.JsonResources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code --resources} in place of a control plane (CONTRACT section 4). */
@Timeout(600)
class StaticResourcesIT {
  private final Mesh mesh = new Mesh();

  @TempDir Path folder;

  @AfterEach
  void close() {
    mesh.close();
  }

  /** Replaces a file in one step, as careful tools do. */
  private void write(String file, String text) throws IOException {
    Path fresh = folder.resolveSibling(folder.getFileName() + "-" + file);
    Files.writeString(fresh, text);
    Files.move(fresh, folder.resolve(file), StandardCopyOption.REPLACE_EXISTING);
  }

  private static String document(String... resources) {
    return "{\"resources\":[" + String.join(",", resources) + "]}";
  }

  @Test
  void filesAreReloadedAndBadOnesLeaveTheLastGoodInForce() throws Exception {
    Backend a = mesh.backend("a").quiet();
    Backend b = mesh.backend("b").quiet();
    write("names.json", document(Xds.listener("orders", "routes"), Xds.routesTo("routes", "A")));
    write("clusters.json", document(Xds.cluster("A"), Xds.endpoints("A", a)));
    mesh.with(Flag.RESOURCES, folder.toString()).startReady();
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 100);
    load.awaitMore("a", 20);

    write("clusters.json", document(Xds.cluster("A"), Xds.endpoints("A", b)));
    load.awaitMore("b", 20);

    Admin admin = mesh.admin();
    write("clusters.json", "{\"resources\":[");
    Await.until(
        "the error of the file is shown",
        () -> admin.get("/xds").body().contains("error in " + folder.resolve("clusters.json")));
    load.awaitMore("b", 100);
    write("clusters.json", document(JsonResources.badCluster("A"), Xds.endpoints("A", b)));
    Await.until(
        "the refusal is shown", () -> admin.get("/config_dump?type=cds").body().contains("NACKED"));
    load.awaitMore("b", 20);

    write("clusters.json", document(Xds.cluster("A"), Xds.endpoints("A", a)));
    load.awaitMore("a", 20);
    load.close();
    assertThat(admin.get("/xds").body()).doesNotContain("error in");
    assertThat(load.failures()).isEmpty();
    assertThat(admin.get("/ready").status()).isEqualTo(200);
  }
}
