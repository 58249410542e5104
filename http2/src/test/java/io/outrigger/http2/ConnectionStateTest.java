package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

/** The description of a connection in the log. */
final class ConnectionStateTest {
  @Test
  void theLogTellsWhichSideItIsAndOnWhichChannel() {
    var channel = new EmbeddedChannel();

    assertThat(new ConnectionState(true, channel)).hasToString("server " + channel);
    assertThat(new ConnectionState(false, channel)).hasToString("client " + channel);
  }
}
