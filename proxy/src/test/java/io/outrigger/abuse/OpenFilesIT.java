package io.outrigger.abuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.program.testing.OutriggerProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program that may open fewer files than callers would like to have connections. */
@Timeout(120)
final class OpenFilesIT {
  private static final int FILES = 1024;

  @Test
  void callersLeaveFilesForBackendsAndTheAdminServer(@TempDir Path folder) throws Exception {
    try (var backend = new ServingBackend();
        var peers = new Peers()) {
      Files.writeString(
          folder.resolve("mesh.yaml"),
          "resources:\n" + StaticService.yaml("served", backend.port()));
      List<String> program =
          List.of(
              "bash",
              "-c",
              "ulimit -n " + FILES + "; exec \"$0\" \"$@\"",
              Installation.launcher(folder.resolve("installed")).toString());
      try (var process =
          OutriggerProcess.start(
              program,
              folder,
              Map.of(),
              "run",
              "--resources",
              "mesh.yaml",
              "--forward",
              "0=xds:///served",
              "--admin",
              "127.0.0.1:0")) {
        process.awaitReady(200);
        var port = new InetSocketAddress(InetAddress.getLoopbackAddress(), process.port("served"));

        peers.silent(port, 2 * FILES);

        assertThat(process.get("/live").statusCode()).isEqualTo(200);
        try (var files = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
          assertThat(files.count()).isBetween(FILES / 2L, FILES * 4L / 5);
        }
      }
    }
  }
}
