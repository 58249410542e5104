package io.outrigger.endtoend;

import io.outrigger.testing.Await;
import io.outrigger.testing.TestIdentity;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A program that is installed on this machine or not, with its output in a file. */
final class Tool implements AutoCloseable {
  private final Process process;
  private final Path output;

  private Tool(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** The path of a program that {@code PATH} leads to. */
  static Optional<String> find(String name) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  /** Envoy itself: pip puts a script before it, which would outlive the end of a test. */
  static Optional<String> envoy() throws IOException {
    if (find("python3").isEmpty()) {
      return Optional.empty();
    }
    Process python =
        new ProcessBuilder(
                "python3", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
            .start();
    String folder =
        new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    return Optional.of(Path.of(folder, "envoy/_bin/envoy"))
        .filter(Files::isExecutable)
        .map(Path::toString);
  }

  /** Writes {@code PREFIX-chain.pem} and {@code PREFIX-key.pem}. */
  static void write(Path prefix, TestIdentity identity) throws IOException {
    Files.writeString(Path.of(prefix + "-chain.pem"), identity.chainPem());
    Files.writeString(Path.of(prefix + "-key.pem"), identity.keyPem());
  }

  static Tool start(Path folder, List<String> command) throws IOException {
    Path output = Files.createTempFile(folder, "output", ".txt");
    return new Tool(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start(),
        output);
  }

  void say(String text) throws IOException {
    process.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  private String output() {
    try {
      return new String(Files.readAllBytes(output), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isRunning() {
    return process.isAlive();
  }

  void awaitOutput(String part) {
    Await.until(part, this::output, () -> output().contains(part));
  }

  /** Waits until it has ended by itself; all its output. */
  String awaitEnd() {
    Await.until("the program ends", this::output, () -> !process.isAlive());
    return output();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
