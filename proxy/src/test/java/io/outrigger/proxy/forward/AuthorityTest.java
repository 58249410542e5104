package io.outrigger.proxy.forward;

import static io.outrigger.proxy.testing.http2.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.proxy.testing.mesh.OneRoute;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What goes upstream as {@code :authority}; the app's own is {@code app.local}. */
class AuthorityTest {
  private static final RetryPolicy POLICY =
      new RetryPolicy(Set.of(Code.UNAVAILABLE), 2, Duration.ofMillis(1), Duration.ofMillis(1));

  private final CallScript script = new CallScript();
  private final FakeBackend named = new FakeBackend("10.0.0.1", "named.example:8443");
  private final FakeBackend nameless = new FakeBackend("10.0.0.2");

  private void mode(AuthorityMode mode) {
    script.forward = script.forward(new ForwardSettings(mode, 10, 1_000, () -> "node"));
  }

  /** The authority with which the next request reaches {@code backend}. */
  private String sentTo(FakeBackend backend) {
    script.picks(backend.use);
    script.unary();
    return authority(backend);
  }

  private static String authority(FakeBackend backend) {
    return backend.stream().log.get(0).replaceAll(".*:authority=([^,)]*).*", "$1");
  }

  @Conformance("SC-32")
  @Test
  void itIsTheTargetsUnlessTheRouteRewritesIt() {
    script.routed(OneRoute.noLimit());

    assertThat(sentTo(named)).isEqualTo("orders");
  }

  @Conformance("A81-01")
  @Test
  void aRouteThatRewritesTakesTheNameOfTheEndpoint() {
    script.rewritten(POLICY);

    assertThat(sentTo(named)).isEqualTo("named.example:8443");
  }

  @Conformance("A81-02")
  @Test
  void withoutANameNothingIsRewritten() {
    script.rewritten(POLICY);

    assertThat(sentTo(nameless)).isEqualTo("orders");
  }

  @Conformance("A81-03")
  @Test
  void aRetryTakesTheNameOfItsOwnEndpoint() {
    var other = new FakeBackend("10.0.0.3", "other.example");
    script.rewritten(POLICY).picks(named.use);
    script.unary();
    script.picks(other.use);

    named.stream().handlerOf().onHeaders(headers(":status", "200", "grpc-status", "14"), true);
    script.time.advance(Duration.ofMillis(50));

    assertThat(authority(named)).isEqualTo("named.example:8443");
    assertThat(authority(other)).isEqualTo("other.example");
  }

  /** A81: an authority that the application gave stands. */
  @Conformance("A81-01")
  @Test
  void whatTheAppSaysStandsWhereItIsPreserved() {
    mode(new AuthorityMode.Preserve());
    script.rewritten(POLICY);

    assertThat(sentTo(named)).isEqualTo("app.local");
  }

  /** A81: the rewriting is stronger than any default. */
  @Conformance("A81-01")
  @Test
  void aFixedAuthorityIsOnlyADefault() {
    mode(AuthorityMode.fixed("fixed.example"));
    script.rewritten(POLICY);

    assertThat(sentTo(named)).isEqualTo("named.example:8443");
    assertThat(sentTo(nameless)).isEqualTo("fixed.example");
  }
}
