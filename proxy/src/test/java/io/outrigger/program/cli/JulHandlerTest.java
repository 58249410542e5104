package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** In a process of its own, since a JVM sets java.util.logging up once. */
class JulHandlerTest {
  /** A library that logs that way, in a program that has announced our handler. */
  static final class Library {
    public static void main(String[] args) {
      JulHandler.announce();
      Logger.getLogger("lib.Channel").info("nobody needs to know");
      Logger.getLogger("lib.Channel").warning("mind the gap");
    }
  }

  @Test
  void aWarningOfALibraryIsALineOfTheLog() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Library.class.getName())
            .redirectErrorStream(true)
            .start();

    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(output.lines()).singleElement().asString().endsWith("WARN  Channel: mind the gap");
  }
}
