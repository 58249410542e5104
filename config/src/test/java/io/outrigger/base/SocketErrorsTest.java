package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketErrorsTest {
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "recvAddress(..) failed with error(-104)                     | connection reset by peer",
        "recvAddress(..) failed with error(-104): Connection reset by peer | connection reset by peer",
        "Connection reset                                            | connection reset by peer",
        "Connection reset by peer                                    | connection reset by peer",
        "writevAddresses(..) failed with error(-32): Broken pipe     | connection closed by the peer (broken pipe)",
        "Broken pipe                                                 | connection closed by the peer (broken pipe)",
        "recvAddress(..) failed with error(-110)                     | connection timed out",
        "Connection timed out                                        | connection timed out",
        "Software caused connection abort                            | connection aborted",
        "finishConnect(..) failed with error(-111): Connection refused | connection refused",
        "connect(..) failed with error(-99): Cannot assign requested address | no local address or port is free",
        "newSocketStream(..) failed with error(-24): Too many open files | too many open files",
        "Network is unreachable                                      | network unreachable",
        "connect(..) failed with error(-2): No such file or directory | no such file",
        "connect(..) failed with error(-20): Not a directory         | no such file",
        "splice(..) failed with error(-71)                           | socket error 71",
        "io_uring read(..) failed                                    | socket error",
        "10.0.104.111 has sent nonsense                              | 10.0.104.111 has sent nonsense",
        "something that we say ourselves                             | something that we say ourselves",
      })
  void isSaidInPlainWords(String text, String words) {
    assertThat(SocketErrors.describe(text)).isEqualTo(words);
  }

  @Test
  void aUnixSocketThatDoesNotExistIsNamed() {
    assertThat(SocketErrors.describe(new FileNotFoundException()))
        .isEqualTo("the unix socket does not exist; is its server running?");
  }

  @Test
  void theInnermostCauseSaysIt() {
    var refused = new ConnectException("finishConnect(..) failed with error(-111)");
    assertThat(SocketErrors.describe(new IOException("wrapped: /10.0.0.1:80", refused)))
        .isEqualTo("connection refused");
    assertThat(SocketErrors.describe((Throwable) null)).isEqualTo("socket error");
    assertThat(SocketErrors.describe(new IOException())).isEqualTo("socket error");
    assertThat(SocketErrors.describe(new IOException("x", new ClosedChannelException())))
        .isEqualTo("the connection was closed");
  }
}
