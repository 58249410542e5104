package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.testing.Heads;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.SessionHint;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the session hints that picks receive, and the cookies of responses. */
class SessionCookieTest {
  private static final String ONE_IN_PAY = "sid=MTAuMC4wLjE6ODA7cGF5"; // 10.0.0.1:80;pay
  private static final String TWO_IN_PAY = "sid=MTAuMC4wLjI6ODA7cGF5";
  private static final RetryPolicy RETRY =
      new RetryPolicy(Set.of(Code.UNAVAILABLE), 2, Duration.ofMillis(1), Duration.ofMillis(1));

  private final CallScript script = new CallScript();
  private final FakeBackend second = new FakeBackend("10.0.0.2");
  private final List<List<EndpointAddress>> asked = new ArrayList<>();

  @Conformance({"A55-07", "A55-08", "SC-40"})
  @Test
  void theCookieIsAddedToTheHeadBesideTheBackendsOwn() {
    script.sessions("sid", Optional.empty());
    picksFor(script.backend);
    var app = script.unary();

    answer(script.backend, headers(":status", "103"), false);
    answer(
        script.backend,
        headers(":status", "200", "content-type", "application/grpc", "set-cookie", "theirs=1"),
        false);
    script.succeed();

    assertThat(app.stream.log).hasSize(2);
    assertThat(app.stream.log.get(0))
        .contains("set-cookie=theirs=1", "set-cookie=" + ONE_IN_PAY + "; HttpOnly");
    assertThat(app.stream.log.get(1)).doesNotContain("set-cookie");
  }

  @Conformance("A55-10")
  @Test
  void anAnswerInOneBlockGetsTheCookieThere() {
    script.sessions("sid", Optional.empty());
    picksFor(script.backend);
    var app = script.unary();

    answer(
        script.backend,
        headers(":status", "200", "content-type", "application/grpc", "grpc-status", "5"),
        true);

    assertThat(app.field("grpc-status")).isEqualTo("5");
    assertThat(app.field("set-cookie")).startsWith(ONE_IN_PAY);
  }

  @Conformance("A55-10")
  @Test
  void anAnswerOfOurOwnSetsNoCookie() {
    script.sessions("sid", Optional.empty()).fails("nobody is there");

    var app = script.unary();

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(app.field("set-cookie")).isEmpty();
  }

  @Conformance({"A55-03", "SC-41"})
  @Test
  void thePicksHearOfTheCookieInWhicheverFieldItStands() {
    script.sessions("sid", Optional.empty());
    picksFor(script.backend);

    var app = script.unary("cookie", "a=b", "x", "y", "cookie", ONE_IN_PAY);
    script.respond();

    assertThat(asked).containsExactly(List.of(new EndpointAddress("10.0.0.1", 80)));
    assertThat(app.field("set-cookie")).isEmpty();
    assertThat(script.backend.stream().log.get(0))
        .contains("cookie=a=b, x=y, cookie=" + ONE_IN_PAY);
  }

  @Conformance("A55-12")
  @Test
  void everyAttemptPrefersTheSameAndTheLastIsNamed() {
    script.sessions("sid", Optional.of(RETRY));
    picksFor(script.backend);
    var app = script.unary("cookie", ONE_IN_PAY);
    picksFor(second);

    answer(
        script.backend,
        headers(":status", "200", "content-type", "application/grpc", "grpc-status", "14"),
        true);
    script.time.advance(Duration.ofSeconds(1));
    answer(second, Heads.responseHead(), false);

    assertThat(asked).hasSize(2);
    assertThat(asked.get(1)).isEqualTo(asked.get(0)).isNotEmpty();
    assertThat(app.field("set-cookie")).startsWith(TWO_IN_PAY);
  }

  @Conformance("A55-02")
  @Test
  void aRequestThatTheCookieIsNotForHasNoSession() {
    script.sessions("sid", "/other", Optional.empty());
    script.publishes(
        Connectivity.READY,
        call -> {
          assertThat(call.session()).isNull();
          return script.backend.use;
        });

    var app = script.unary("cookie", ONE_IN_PAY);
    script.respond();

    assertThat(script.backend.streams).hasSize(1);
    assertThat(app.field("set-cookie")).isEmpty();
  }

  @Conformance("SC-40")
  @Test
  void requestsThatAreNotGrpcHaveSessionsAsWell() {
    script.sessions("sid", Optional.empty());
    picksFor(script.backend);
    var app = script.plain(true);

    answer(script.backend, headers(":status", "404"), true);

    assertThat(app.field("set-cookie")).startsWith(ONE_IN_PAY);
  }

  private static void answer(FakeBackend backend, HeaderList head, boolean endStream) {
    backend.stream().handlerOf().onHeaders(head, endStream);
  }

  private void picksFor(FakeBackend backend) {
    script.publishes(Connectivity.READY, call -> pick(call, backend));
  }

  private PickResult pick(PickContext call, FakeBackend backend) {
    SessionHint session = Objects.requireNonNull(call.session());
    asked.add(session.preferred());
    session.picked(List.of(backend.address()));
    return backend.use;
  }

  @Test
  void crumbsOfOtherFieldsAreStillListsOfCommas() {
    var head =
        RequestHead.of(
            Heads.request("x", "1", "cookie", "a=1", "x", "2", "cookie", "b=2", "x", "3"));

    assertThat(head.header("x")).isEqualTo("1,2,3");
    assertThat(head.header("cookie")).isEqualTo("a=1; b=2");
    assertThat(head.header("y")).isNull();
  }
}
