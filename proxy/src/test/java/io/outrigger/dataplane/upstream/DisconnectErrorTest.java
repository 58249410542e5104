package io.outrigger.dataplane.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.SocketErrors;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DisconnectErrorTest {
  @Conformance("A94-01")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "Connection reset by peer, connection reset",
    "recvAddress(..) failed with error(-104): Connection reset by peer, connection reset",
    "Connection timed out, connection timed out",
    "keepalive: no answer to PING, connection timed out",
    "Software caused connection abort, connection aborted",
    "Broken pipe, socket error",
    "writevAddresses(..) failed with error(-5): Input/output error, socket error",
    "socket closed by the peer, unknown",
    "no SETTINGS within 20000ms, unknown",
  })
  void reasonsHaveTheWordsOfTheSpec(String reason, String word) {
    String described = SocketErrors.describe(new IOException(reason));

    assertThat(LoopConnection.disconnectError(described)).isEqualTo(word);
  }
}
