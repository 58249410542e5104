package io.outrigger.dataplane.downstream;

import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The file of a unix socket to listen on. */
@AnyThread
final class UnixSocketFile {
  private final Path path;
  private @Nullable List<Object> key;

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

  /** Records the identity of the socket file that the bind has created. */
  void onBound() throws IOException {
    key = identity();
  }

  /** Removes the file unless another process has replaced the file. */
  void remove() throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && identity().equals(key)) {
      Files.deleteIfExists(path);
    }
  }

  private boolean isInUse() throws IOException {
    try (var probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false); // connecting would block while the accept queue is full
      var unused = probe.connect(UnixDomainSocketAddress.of(path));
      return true;
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage());
      boolean isFull = reason.contains("temporarily unavailable"); // the queue of a live process
      if (isFull || reason.contains("refused")) {
        return isFull;
      }
      throw new IOException("the file exists and may be in use: " + e.getMessage(), e);
    }
  }

  /** Returns the inode and its time: a file system gives the number of a removed inode again. */
  private List<Object> identity() throws IOException {
    var found = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return List.of(found.fileKey(), found.lastModifiedTime());
  }
}
