package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shell script of the distribution, with a Java that prints what it was started with. */
class LauncherTest {
  @TempDir private Path home;
  private final Map<String, String> variables = new HashMap<>();

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "-, -, C.UTF-8",
        "-, C, C.UTF-8",
        "POSIX, de_DE.UTF-8, C.UTF-8",
        "-, de_DE.UTF-8, -",
        "fr_FR.UTF-8, C, fr_FR.UTF-8",
      })
  void fileNamesAreReadAsUtf8InTheLocaleC(String all, String language, String expected)
      throws Exception {
    assertThat(started(all, language))
        .startsWith("LC_ALL=" + (expected == null ? "" : expected) + "\n");
  }

  @Test
  void argumentsReachTheProgram() throws Exception {
    assertThat(started("C", "C", "run", "--config", "a b"))
        .contains("io.outrigger.program.cli.Main|run|--config|a b|");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "ads, -, run --forward 1=xds:///a",
        "ads, -, run --bootstrap plain.json",
        "ads, -, run --bootstrap missing.json",
        "ads, -, run --bootstrap-timeout mesh.json",
        "ads-tls, -, run --bootstrap mesh.json --forward 1=xds:///a",
        "ads-tls, -, run --bootstrap-timeout 5s --bootstrap=mesh.json",
        "files-tls, -, run --resources r --bootstrap mesh.json",
        "k8s, -, run --bootstrap mesh.json --forward 1=k8s:///a.b:1",
        "ads, plain.json, run",
        "ads-tls, mesh.json, run",
        "ads, mesh.json, run --bootstrap plain.json",
      })
  void aBootstrapWithCertificatesTakesTheCacheOfTls(
      String expected, String variable, String arguments) throws Exception {
    for (String cache : List.of("files", "files-tls", "ads", "ads-tls", "k8s")) {
      Files.createFile(home.resolve("outrigger-17.0.1-" + cache + ".jsa"));
    }
    Files.writeString(home.resolve("plain.json"), "{\"xds_servers\":[]}");
    Files.writeString(home.resolve("mesh.json"), "{\n\"certificate_providers\":{}}");
    if (variable != null) {
      variables.put("GRPC_XDS_BOOTSTRAP", variable);
    }

    assertThat(started("C", "C", arguments.split(" ")))
        .contains(
            "-XX:SharedArchiveFile="
                + home.toRealPath()
                + "/outrigger-17.0.1-"
                + expected
                + ".jsa|");
  }

  private String started(String all, String language, String... arguments)
      throws IOException, InterruptedException {
    Path launcher = copyOfLauncher();
    var command = new ProcessBuilder("/bin/sh", launcher.toString()).directory(home.toFile());
    command.command().addAll(List.of(arguments));
    Map<String, String> environment = command.environment();
    environment.keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
    environment.keySet().removeIf(name -> name.contains("BOOTSTRAP"));
    environment.putAll(variables);
    environment.put("JAVA_HOME", home.toString());
    if (all != null) {
      environment.put("LC_ALL", all);
    }
    if (language != null) {
      environment.put("LANG", language);
    }
    Process process = command.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private Path copyOfLauncher() throws IOException {
    Path bin = Files.createDirectories(home.resolve("bin"));
    Path java = bin.resolve("java");
    Files.writeString(java, "#!/bin/sh\necho \"LC_ALL=${LC_ALL-}\"\nprintf '%s|' \"$@\"\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
    return Files.copy(Path.of("src", "main", "dist", "bin", "outrigger"), bin.resolve("outrigger"));
  }
}
