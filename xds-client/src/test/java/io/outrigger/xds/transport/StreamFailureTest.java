package io.outrigger.xds.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamFailureTest {
  @ParameterizedTest
  @CsvSource({
    "token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln has expired, token … has expired",
    "Bearer ya29.c.b0Aaekm1K_x-y: not allowed, Bearer …: not allowed",
    "listener keys.example.org/orders.v1 is unknown, listener keys.example.org/orders.v1 is unknown",
  })
  void aTokenThatAServerQuotesIsLeftOut(String text, String expected) {
    var status = Status.PERMISSION_DENIED.withDescription(text);

    assertThat(StreamFailure.toRpcStatus(status).message()).isEqualTo(expected);
  }
}
