package io.outrigger.abuse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the system keeps of the output of TCP sockets, as Linux tells. */
final class SendQueues {
  private SendQueues() {}

  /** The bytes that all sockets of a local port have written and their peers have not taken. */
  static long bytesOf(int port) {
    String local = ":%04X".formatted(port);
    try (var lines = Files.lines(Path.of("/proc/net/tcp"))) {
      return lines
          .map(line -> line.strip().split("\\s+"))
          .filter(columns -> columns[1].endsWith(local))
          .mapToLong(columns -> Long.parseLong(columns[4].split(":", -1)[0], 16))
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
