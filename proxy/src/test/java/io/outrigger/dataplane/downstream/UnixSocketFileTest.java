package io.outrigger.dataplane.downstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class UnixSocketFileTest {
  @TempDir Path folder;

  @Test
  void aSocketThatADeadProcessLeftIsRemoved() throws IOException {
    Path path = folder.resolve("left");
    bind(path);

    new UnixSocketFile(path).removeStale();

    assertThat(path).doesNotExist();
  }

  /** A connect to it would wait until somebody accepts, and the start with it. */
  @Test
  void aSocketWhoseQueueIsFullIsInUse() throws IOException {
    Path path = folder.resolve("full");
    var address = UnixDomainSocketAddress.of(path);
    List<SocketChannel> waiting = new ArrayList<>();
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(address, 1);
      boolean room = true;
      while (room && waiting.size() < 100) {
        var client = SocketChannel.open(StandardProtocolFamily.UNIX);
        waiting.add(client);
        client.configureBlocking(false);
        room = connects(client, address);
      }
      assertThat(room).isFalse();

      assertThatThrownBy(() -> new UnixSocketFile(path).removeStale())
          .hasMessage("address already in use");

      assertThat(Files.exists(path)).isTrue();
    } finally {
      for (SocketChannel client : waiting) {
        client.close();
      }
    }
  }

  private static boolean connects(SocketChannel client, UnixDomainSocketAddress address)
      throws IOException {
    try {
      return client.connect(address);
    } catch (SocketException full) {
      assertThat(full).hasMessageContaining("temporarily unavailable");
      return false;
    }
  }

  @Test
  void anythingElseIsLeftAlone() throws IOException {
    Path path = Files.writeString(folder.resolve("file"), "not a socket");

    assertThatThrownBy(() -> new UnixSocketFile(path).removeStale())
        .hasMessage("the file exists and is not a socket");

    assertThat(path).exists();
  }

  /** A connect to a pipe is refused, as a connect to the socket of a dead process is. */
  @Test
  void aPipeIsLeftAlone() throws Exception {
    Path path = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();

    assertThatThrownBy(() -> new UnixSocketFile(path).removeStale())
        .hasMessage("the file exists and is not a socket");

    assertThat(Files.exists(path)).isTrue();
  }

  private static void bind(Path path) throws IOException {
    ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(path))
        .close();
  }
}
