package io.outrigger.dataplane.downstream;

import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** The file of a unix socket to listen on. */
@AnyThread
final class UnixSocketFile {
  private final Path path;

  UnixSocketFile(Path path) {
    this.path = path;
  }

  /**
   * Removes the socket file of a process that has ended.
   *
   * @throws IOException if a process listens on the socket, or if the file is not a socket
   */
  void removeStale() throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    if ((mode & 0xF000) != 0xC000) { // S_IFSOCK; a pipe or device would also refuse a connection
      throw new IOException("the file exists and is not a socket");
    }
    if (isInUse()) {
      throw new IOException("address already in use");
    }
    Files.deleteIfExists(path);
  }

  private boolean isInUse() throws IOException {
    try (var probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false); // connecting would block while the accept queue is full
      var unused = probe.connect(UnixDomainSocketAddress.of(path));
      return true;
    } catch (ConnectException refused) {
      return false;
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage());
      boolean isFull = reason.contains("temporarily unavailable"); // the queue of a live process
      if (isFull || reason.contains("refused")) {
        return isFull;
      }
      throw new IOException("the file exists and may be in use: " + e.getMessage(), e);
    }
  }
}
