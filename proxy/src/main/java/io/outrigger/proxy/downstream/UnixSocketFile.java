package io.outrigger.proxy.downstream;

import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The file of a unix socket that we listen on: made way for before, removed afterwards. */
@AnyThread
final class UnixSocketFile {
  private final Path path;
  private @Nullable Object key;

  UnixSocketFile(Path path) {
    this.path = path;
  }

  /**
   * Removes a socket that a dead process left behind.
   *
   * @throws IOException if somebody listens on it, or it is something else
   */
  void makeWay() throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!attributes().isOther()) {
      throw new IOException("the file exists and is not a socket");
    }
    if (isServed()) {
      throw new IOException("address already in use");
    }
    Files.deleteIfExists(path);
  }

  /** Remembers the file that binding has made. */
  void onBound() throws IOException {
    key = attributes().fileKey();
  }

  /** Removes the file, unless another process has put its own there. */
  void remove() throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        && Objects.equals(attributes().fileKey(), key)) {
      Files.deleteIfExists(path);
    }
  }

  private boolean isServed() {
    try (var probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return probe.connect(UnixDomainSocketAddress.of(path));
    } catch (IOException nobody) {
      return false;
    }
  }

  private BasicFileAttributes attributes() throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }
}
