package io.outrigger.endtoend;

import io.outrigger.base.WaitingClock;
import io.outrigger.testing.Await;
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

/** A program that listens on a port, with a folder of its own for its configuration. */
final class RealServer implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(30);

  /** Prepares the program. */
  interface Setup {
    /** Writes what it needs to {@code folder}; the command line that has it listen there. */
    List<String> command(Path folder, int port) throws IOException;
  }

  private final Path folder;
  private final InetSocketAddress address;
  private final Process process;

  private RealServer(Path folder, InetSocketAddress address, Process process) {
    this.folder = folder;
    this.address = address;
    this.process = process;
  }

  /** Starts it and waits until it listens. */
  static RealServer start(Setup setup) throws IOException {
    Path folder = Files.createTempDirectory("server");
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());
    List<String> command = setup.command(folder, address.getPort());
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    var server = new RealServer(folder, address, process);
    if (!Await.within(START, () -> !process.isAlive() || isListening(address))
        || !process.isAlive()) {
      String said = Files.readString(log);
      server.close();
      throw new IOException(command.get(0) + " did not start: " + said.strip());
    }
    return server;
  }

  InetSocketAddress address() {
    return address;
  }

  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException left) {
      throw new UncheckedIOException(left);
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static boolean isListening(InetSocketAddress address) {
    try (var socket = new Socket()) {
      socket.connect(address, 1_000);
      WaitingClock.sleep(Duration.ofMillis(50));
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }
}
