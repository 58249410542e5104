package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.forward.CallScript.App;
import io.outrigger.http2.StreamHandler;
import io.outrigger.program.testing.mesh.OneRoute;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests apps that request the routing decision of their calls. */
class DecisionHeaderTest {
  private final CallScript script = new CallScript();

  DecisionHeaderTest() {
    script.named("charge", OneRoute.limit(Duration.ofSeconds(3))).picks(script.backend.use);
  }

  @AfterEach
  void nothingIsLeftBehind() {
    assertThat(script.unreleased()).isZero();
  }

  private void mayAskWith(String name) {
    script.forward = script.forward(ForwardSettings.defaults("").withDecisionHeader(name));
  }

  private String toldWith(String... fields) {
    App app = script.unary(fields);
    script.respond();
    script.succeed();
    return app.field("x-outrigger-decision");
  }

  @Test
  void anAppThatAsksIsTold() {
    mayAskWith("x-ask");

    assertThat(toldWith("x-ask", "1"))
        .startsWith("target=xds:///orders; route=4; route_name=charge; cluster=pay;")
        .contains("; endpoint=10.0.0.1:80; ")
        .contains("; attempts=1; limit=3000ms");
  }

  @Test
  void anAppThatDoesNotAskIsNotTold() {
    mayAskWith("x-ask");

    assertThat(toldWith("x-other", "1")).isEmpty();
  }

  @Test
  void nobodyIsToldWhereItIsNotAllowed() {
    assertThat(toldWith("x-ask", "1")).isEmpty();
  }

  private StreamHandler backend() {
    return script.backend.stream().handlerOf();
  }

  @Test
  void aBodyIsFollowedByTheDecision() {
    mayAskWith("x-ask");
    App app = script.plain(true, "x-ask", "1");

    backend().onHeaders(headers(":status", "200"), false);
    backend().onData(script.buffer("a"), false);
    backend().onData(script.buffer("b"), true);

    assertThat(app.stream.log).hasSize(4).startsWith("H(:status=200)", "D(a)", "D(b)");
    assertThat(app.stream.log.get(3)).endsWith("!");
    assertThat(app.field("x-outrigger-decision"))
        .contains("cluster=pay; endpoint=10.0.0.1:80")
        .contains("attempts=1");
  }

  @Test
  void aBodyEndsTheAnswerToAnAppThatDidNotAsk() {
    mayAskWith("x-ask");
    App app = script.plain(true);

    backend().onHeaders(headers(":status", "200"), false);
    backend().onData(script.buffer("a"), false);
    backend().onData(script.buffer("b"), true);

    assertThat(app.stream.log).containsExactly("H(:status=200)", "D(a)", "D(b)!");
  }

  @Test
  void trailersHaveTheDecisionBehindThem() {
    mayAskWith("x-ask");
    App app = script.unary("x-ask", "1");

    script.respond();
    script.succeed();

    assertThat(app.stream.log.get(1)).startsWith("H(grpc-status=0, x-outrigger-decision=");
  }
}
