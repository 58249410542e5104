package io.outrigger.dataplane.downstream;

import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The limit of open files of the process ({@code ulimit -n}), which includes sockets. A quarter of
 * the limit is reserved for connections to backends, the admin server and files.
 */
final class OpenFiles {
  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final String NAME = "Max open files";
  private static final long FOR_CALLERS = forCallers();

  private OpenFiles() {}

  /**
   * Whether an accepted socket is within the callers' share of open files. The kernel gives a
   * socket the lowest free descriptor, so the descriptor shows how many files are open. Returns
   * true for a NIO socket, whose descriptor is unknown.
   */
  static boolean haveRoomFor(Channel accepted) {
    return !(accepted instanceof UnixChannel socket) || socket.fd().intValue() < FOR_CALLERS;
  }

  private static long forCallers() {
    try {
      return forCallers(Files.readAllLines(LIMITS));
    } catch (IOException notLinux) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Returns how many open files callers may use: three quarters of the soft limit. The JVM raises
   * the soft limit to the hard limit when it starts.
   *
   * @param lines the lines of {@code /proc/self/limits}
   */
  static long forCallers(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith(NAME))
        .map(line -> line.substring(NAME.length()).trim().split(" ", 2)[0])
        .filter(limit -> !limit.equals("unlimited"))
        .mapToLong(limit -> Long.parseLong(limit) / 4 * 3)
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }
}
