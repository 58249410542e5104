package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shell script of the distribution, with a Java that prints what it was started with. */
class LauncherTest {
  @TempDir private Path home;

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

  private String started(String all, String language, String... arguments)
      throws IOException, InterruptedException {
    Path launcher = copyOfLauncher();
    var command = new ProcessBuilder("/bin/sh", launcher.toString());
    command.command().addAll(List.of(arguments));
    Map<String, String> environment = command.environment();
    environment.keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
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
