package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.forward.CallScript.App;
import io.outrigger.program.testing.mesh.OneRoute;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests the text of the routing decision that apps can request. */
class CallDecisionTest {
  private static final String DECISION = "x-outrigger-decision";
  private static final String TARGET = "target=xds:///orders; ";

  private final CallScript script = new CallScript();

  CallDecisionTest() {
    script.forward =
        script.forward(ForwardSettings.defaults(CallScript.NODE).withDecisionHeader("x-why"));
  }

  private App asked() {
    App app = script.unary("x-why", "1");
    script.respond();
    script.succeed();
    return app;
  }

  private String toldOf(String routeName) {
    script.named(routeName, OneRoute.noLimit()).picks(script.backend.use);
    return asked().field(DECISION);
  }

  @Test
  void allThatIsKnownStandsBehindTheTrailers() {
    script.named("charge", OneRoute.limit(Duration.ofSeconds(3))).picks(script.backend.use);
    App app = script.unary("x-why", "1");
    script.respond();
    script.backend.stream()
        .handlerOf()
        .onHeaders(headers("grpc-status", "0", "grpc-message", "fine", "x-cost", "3"), true);

    assertThat(app.stream.log)
        .last()
        .isEqualTo(
            "H(grpc-status=0, grpc-message=fine, x-cost=3, x-outrigger-decision="
                + TARGET
                + "route=4; route_name=charge; cluster=pay; endpoint=10.0.0.1:80; "
                + "locality=r/z/s; attempts=1; limit=3000ms; limit_of_route=timeout)!");
  }

  @Test
  void whoDoesNotAskIsNotTold() {
    script.ready();
    App app = script.unary("x-other", "1");
    script.respond();
    script.succeed();

    assertThat(app.stream.log).last().isEqualTo("H(grpc-status=0)!");
  }

  @Test
  void theFirstRouteWithoutNameAndLimitIsToldByItsPlace() {
    script.ready();

    assertThat(asked().field(DECISION))
        .isEqualTo(
            TARGET
                + "route=0; cluster=pay; endpoint=10.0.0.1:80; locality=r/z/s; attempts=1; "
                + "limit_of_route=timeout");
  }

  @Test
  void ofARequestThatMetNoBackendItIsToldWhy() {
    script.routed(OneRoute.limit(Duration.ofSeconds(1))).fails("down");

    assertThat(script.unary("x-why", "").field(DECISION))
        .isEqualTo(
            TARGET
                + "route=0; cluster=pay; attempts=0; limit=1000ms; limit_of_route=timeout; "
                + "local=no_healthy_upstream");
  }

  @Test
  void ofARequestThatWasNotRoutedLittleIsTold() {
    assertThat(script.unary("x-why", "1", "grpc-timeout", "soon").field(DECISION))
        .isEqualTo("attempts=0; local=bad_request");
  }

  @Test
  void aResponseWithoutTrailersGetsSome() {
    script.ready();
    App app = script.plain(true, "x-why", "1");
    script.backend.stream().handlerOf().onHeaders(headers(":status", "200"), false);
    script.backend.stream().handlerOf().onData(script.buffer("ok"), true);

    assertThat(app.stream.log.subList(1, 3))
        .containsExactly(
            "D(ok)",
            "H(x-outrigger-decision="
                + TARGET
                + "route=0; cluster=pay; endpoint=10.0.0.1:80; locality=r/z/s; attempts=1; "
                + "limit_of_route=timeout)!");
    assertThat(script.unreleased()).isZero();
  }

  @Test
  void whatSeparatesIsEncodedInNames() {
    assertThat(toldOf(";a=b,\"c d\" 5%\u00e9"))
        .contains("; route_name=%3Ba%3Db%2C%22c d%22 5%25%C3%A9; cluster=");
  }

  @Test
  void longNamesAreCut() {
    assertThat(toldOf("n".repeat(200))).contains("; route_name=" + "n".repeat(200) + "; cluster=");
    assertThat(toldOf("n".repeat(201))).contains("; route_name=" + "n".repeat(200) + "; cluster=");
  }
}
