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
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The file of a unix socket to listen on. */
@AnyThread
final class UnixSocketFile {
  private final Path path;
  private @Nullable Object key;

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
    if (!attributes().isOther()) {
      throw new IOException("the file exists and is not a socket");
    }
    if (isInUse()) {
      throw new IOException("address already in use");
    }
    Files.deleteIfExists(path);
  }

  /** Records the identity (inode) of the socket file that the bind has created. */
  void onBound() throws IOException {
    key = attributes().fileKey();
  }

  /** Removes the file unless another process has replaced the file. */
  void remove() throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        && Objects.equals(attributes().fileKey(), key)) {
      Files.deleteIfExists(path);
    }
  }

  private boolean isInUse() throws IOException {
    try (var probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false); // connecting would block while the accept queue is full
      var unused = probe.connect(UnixDomainSocketAddress.of(path));
      return true;
    } catch (ConnectException refused) {
      return false;
    } catch (IOException e) {
      String reason = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
      if (reason.contains("temporarily unavailable")) {
        return true; // the accept queue is full, so a process listens
      }
      if (reason.contains("refused")) {
        return false;
      }
      throw new IOException("the file exists and may be in use: " + e.getMessage(), e);
    }
  }

  private BasicFileAttributes attributes() throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }
}
