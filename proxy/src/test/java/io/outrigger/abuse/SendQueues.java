package io.outrigger.abuse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the system keeps of the output of TCP sockets, as Linux tells. */
final class SendQueues {
  private SendQueues() {}

  /**
   * The bytes that all sockets of a local port have written and their peers have not taken. Netty's
   * sockets are listed as IPv6 sockets where the system has IPv6, whatever their address.
   */
  static long bytesOf(int port) {
    String local = ":%04X".formatted(port);
    return Stream.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"))
        .filter(Files::exists)
        .flatMap(file -> lines(file).stream())
        .map(line -> line.strip().split("\\s+"))
        .filter(columns -> columns[1].endsWith(local))
        .mapToLong(columns -> Long.parseLong(columns[4].split(":", -1)[0], 16))
        .sum();
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
