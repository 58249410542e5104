package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.HostRewrite;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.lb.tree.PickQueue.ParkedCall;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which {@code :authority} is sent to backends; the app's own is {@code app.local}. */
class AuthorityTest {
  private static final RetryPolicy POLICY =
      new RetryPolicy(Set.of(Code.UNAVAILABLE), 2, Duration.ofMillis(1), Duration.ofMillis(1));

  private final CallScript script = new CallScript();
  private final FakeBackend named = new FakeBackend("10.0.0.1", "named.example:8443");
  private final FakeBackend nameless = new FakeBackend("10.0.0.2");

  private void mode(AuthorityMode mode) {
    script.forward = script.forward(DefaultSettings.forward(mode, 10, 1_000));
  }

  /** The authority of the next request that {@code backend} receives. */
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

  /** A81: an authority that the application set is kept. */
  @Conformance("A81-01")
  @Test
  void whatTheAppSaysStandsWhereItIsPreserved() {
    mode(new AuthorityMode.Preserve());
    script.rewritten(POLICY);

    assertThat(sentTo(named)).isEqualTo("app.local");
  }

  /** A81: a rewritten authority takes precedence over any default. */
  @Conformance("A81-01")
  @Test
  void aFixedAuthorityIsOnlyADefault() {
    mode(new AuthorityMode.Fixed("fixed.example"));
    script.rewritten(POLICY);

    assertThat(sentTo(named)).isEqualTo("named.example:8443");
    assertThat(sentTo(nameless)).isEqualTo("fixed.example");
  }

  /**
   * Sends a request with the given authority fields; returns the authority that the backend
   * receives.
   */
  private String sentWith(String... authority) {
    var head = new ArrayList<>(List.of(":method", "POST", ":scheme", "http", ":path", "/a.B/C"));
    head.addAll(List.of(authority));
    head.addAll(List.of("content-type", "application/grpc"));
    script.picks(named.use);
    script.new App().call.onHeaders(headers(head.toArray(new String[0])), true);
    return authority(named);
  }

  @Test
  void aHostStandsForAMissingAuthority() {
    mode(new AuthorityMode.Preserve());
    script.routed(OneRoute.noLimit());

    assertThat(sentWith("host", "host.local")).isEqualTo("host.local");
    assertThat(named.stream().log.get(0)).doesNotContain("host=");
    assertThat(sentWith(":authority", "own.local", "host", "host.local")).isEqualTo("own.local");
    assertThat(sentWith()).isEqualTo("orders");
    assertThat(sentWith(":authority", "")).isEqualTo("orders");
  }

  /** The last accepted authority is not checked again; each other one is. */
  @Test
  void anInvalidAuthorityIsRefusedAfterValidOnes() {
    mode(new AuthorityMode.Preserve());
    script.routed(OneRoute.noLimit());

    for (int i = 0; i < 2; i++) {
      assertThat(sentWith(":authority", "a.local")).isEqualTo("a.local");
      assertThat(sentWith(":authority", "a.local")).isEqualTo("a.local");
      assertThat(sentWith(":authority", "b.local:80")).isEqualTo("b.local:80");

      var app = script.new App();
      app.call.onHeaders(
          headers(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "u@a"), true);

      assertThat(app.stream.log.get(0)).contains(":status=400");
    }
  }

  /** The target of the script with another authority. */
  private record Named(ForwardTarget target, String authority) implements ForwardTarget {
    @Override
    public String name() {
      return target.name();
    }

    @Override
    public @Nullable ConfigSelector selector() {
      return target.selector();
    }

    @Override
    public long park(ParkedCall call, @Nullable ConfigSelector seen) {
      return target.park(call, seen);
    }

    @Override
    public boolean unpark(long ticket) {
      return target.unpark(ticket);
    }
  }

  @Test
  void eachTargetHasItsOwn() {
    List<String> asked = new ArrayList<>();
    var first = new Named(script.target, "first");
    var second = new Named(script.target, "second");
    TargetResolver byAuthority =
        authority -> {
          asked.add(authority.toString());
          return Outcome.ok(asked.size() == 3 ? second : first);
        };
    script.forward =
        new Forward(
            "all",
            DefaultSettings.forward("node"),
            byAuthority,
            call -> {},
            CallTracer.NONE,
            DefaultSettings.MEMORY,
            1);
    script.routed(OneRoute.noLimit());

    assertThat(sentWith(":authority", "a")).isEqualTo("first");
    assertThat(sentWith("host", "b")).isEqualTo("first");
    assertThat(sentWith()).isEqualTo("second");
    assertThat(sentWith(":authority", "c")).isEqualTo("first");
    assertThat(asked).containsExactly("a", "b", "", "c");
  }

  @Test
  void aRouteThatGivesAnAuthorityIsObeyed() {
    script.rewritten(new HostRewrite.Literal("pay.example"), POLICY);

    assertThat(sentTo(named)).isEqualTo("pay.example");
    assertThat(sentTo(nameless)).isEqualTo("pay.example");
  }
}
