package io.outrigger.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs classes in a process of their own, for state that a JVM sets up only once. */
public final class ChildJvm {
  private ChildJvm() {}

  /**
   * Runs the {@code main} method of a class with the class path of this JVM.
   *
   * @return the output of the process, errors included
   * @throws IllegalStateException when the exit code is not 0
   */
  public static String run(Class<?> main, String... options)
      throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> rest = List.of("-cp", System.getProperty("java.class.path"), main.getName());
    Process process =
        new ProcessBuilder(
                Stream.of(List.of(java), List.of(options), rest).flatMap(List::stream).toList())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException("exit code " + process.exitValue() + ": " + output);
    }
    return output;
  }
}
