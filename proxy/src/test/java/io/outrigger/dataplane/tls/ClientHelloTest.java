package io.outrigger.dataplane.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ClientHelloTest {
  /** The headers of record and message, which Netty has removed before it calls AlpnCheck. */
  private static final int HEADERS = 9;

  private static byte[] record(String... protocols) throws Exception {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine();
    engine.setUseClientMode(true);
    var parameters = engine.getSSLParameters();
    parameters.setApplicationProtocols(protocols);
    engine.setSSLParameters(parameters);
    ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), record);
    return Arrays.copyOf(record.array(), record.position());
  }

  private static List<String> protocols(byte[] hello) {
    return ClientHello.protocols(ByteBuffer.wrap(hello));
  }

  private static byte[] body(byte[] record) {
    return Arrays.copyOfRange(record, HEADERS, record.length);
  }

  @Test
  void groupsAndProtocolsAreInTheClientsOrder() throws Exception {
    byte[] record = record("h2", "http/1.1");

    assertThat(ClientHello.groups(ByteBuffer.wrap(record))).startsWith("x25519", "secp256r1");
    assertThat(protocols(body(record))).containsExactly("h2", "http/1.1");
    assertThat(protocols(body(record()))).isEmpty();
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytesAreReadOrAnException() throws Exception {
    ForeignBytes.check(
        new Case(
            "ClientHello",
            RuntimeException.class,
            ClientHelloTest::protocols,
            Shape.BYTES,
            List.of(body(record("h2")), body(record()))),
        20_000);
  }
}
