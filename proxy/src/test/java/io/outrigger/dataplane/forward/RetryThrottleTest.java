package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** xDS configures no retryThrottling (A6), so however many calls fail, each is retried. */
class RetryThrottleTest {
  private static final RetryPolicy POLICY =
      new RetryPolicy(Set.of(Code.UNAVAILABLE), 3, Duration.ofMillis(1), Duration.ofMillis(1));
  private static final Duration A_WHILE = Duration.ofMillis(10);

  private final CallScript script = new CallScript().ready().retried(POLICY);
  private final FakeBackend backend = script.backend;

  @Conformance("A44-12")
  @Test
  void failuresOfOthersDoNotStopRetries() {
    int calls = 200;
    for (int i = 0; i < calls; i++) {
      var app = script.unary();
      for (int attempt = 0; attempt < 3; attempt++) {
        backend.stream()
            .handlerOf()
            .onHeaders(
                headers(":status", "200", "content-type", "application/grpc", "grpc-status", "14"),
                true);
        script.time.advance(A_WHILE);
      }
      assertThat(app.field("grpc-status")).isEqualTo("14");
    }

    assertThat(backend.outcomes).hasSize(3 * calls);
  }
}
