package io.outrigger.program.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.IpAddress;
import io.outrigger.base.RandomSource;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.RequestView;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.calls.MethodStats;
import io.outrigger.dataplane.filter.FilteredCall;
import io.outrigger.lb.SessionHint;
import io.outrigger.observe.access.StdoutAuditLog;
import io.outrigger.observe.events.EventKind;
import io.outrigger.observe.events.EventLog;
import io.outrigger.observe.metrics.MetricsView.Decisions;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@Conformance("OPS-07")
class ServeRecordsTest {
  private static final Rbac.Decision NO_POLICY = new Rbac.Decision(false, Optional.empty(), 0);

  private final FakeControlLoop loop = new FakeControlLoop();
  private final EventLog events = new EventLog(loop);
  private final StdoutAuditLog audit = StdoutAuditLog.started();
  private final ServeRecords records =
      new ServeRecords(
          "pay", new ServingReports(events, "pay"), audit, loop, events, loop::nanoTime);

  @AfterEach
  void close() {
    audit.close();
  }

  private static Rbac.Decision denied(String policy) {
    return new Rbac.Decision(false, Optional.of(policy), 0);
  }

  private void decide(String filter, Rbac.Decision decision) {
    records.onDecision(new Call("/test.Pay/Charge"), filter, decision);
  }

  private List<String> told() {
    loop.run();
    List<String> told = new ArrayList<>();
    loop.inside(
        () ->
            events
                .after(0, 5_000)
                .events()
                .forEach(
                    event -> {
                      assertThat(event.kind()).isEqualTo(EventKind.DENIED);
                      assertThat(event.subject()).isEqualTo("pay");
                      told.add(event.message());
                    }));
    return told;
  }

  @Test
  void decisionsAreCountedByFilterPolicyAndVerdict() {
    decide("rbac", denied("a"));
    decide("rbac", denied("a"));
    decide("rbac", new Rbac.Decision(true, Optional.of("a"), 0));
    decide("second", NO_POLICY);

    assertThat(records.decisions())
        .containsExactlyInAnyOrder(
            new Decisions("rbac", "a", false, 2),
            new Decisions("rbac", "a", true, 1),
            new Decisions("second", "", false, 1));
  }

  @Test
  void aDenialIsToldOnceASecondForEachPolicy() {
    decide("rbac", NO_POLICY);
    assertThat(told()).hasSize(1);
    decide("rbac", NO_POLICY);
    decide("rbac", denied("a"));
    decide("rbac", new Rbac.Decision(true, Optional.of("b"), 0));

    String caller = "/test.Pay/Charge from spiffe://mesh/ship (10.0.0.9): ";
    String noPolicy = caller + "no policy of filter \"rbac\"";
    assertThat(told()).containsExactly(noPolicy, caller + "policy \"a\" of filter \"rbac\"");

    loop.advance(Duration.ofMillis(999));
    decide("rbac", NO_POLICY);
    assertThat(told()).hasSize(2);

    loop.advance(Duration.ofMillis(1));
    decide("rbac", NO_POLICY);
    assertThat(told()).hasSize(3).last().isEqualTo(noPolicy + "; 2 more since the last event");
  }

  @Test
  void policiesBeyondTheMostShareOneCount() {
    for (int i = 0; i < ServeRecords.MAX_DECISIONS + 50; i++) {
      decide("rbac", denied("p" + i));
    }

    assertThat(records.decisions())
        .hasSize(ServeRecords.MAX_DECISIONS + 1)
        .contains(new Decisions("other", "other", false, 50));
  }

  @Test
  void policiesWithLongNamesShareOneCountAndTakeNoOthers() {
    for (int i = 0; i < ServeRecords.MAX_DECISIONS; i++) {
      decide("rbac", denied(i + "p".repeat(MethodStats.MAX_NAMES)));
    }
    decide("rbac", denied("a"));

    assertThat(records.decisions())
        .containsExactlyInAnyOrder(
            new Decisions("other", "other", false, ServeRecords.MAX_DECISIONS),
            new Decisions("rbac", "a", false, 1));
  }

  @Test
  void aLongPathIsCut() {
    records.onDecision(new Call("/" + "x".repeat(100_000)), "rbac", NO_POLICY);

    assertThat(told()).singleElement().asString().hasSizeLessThan(400).contains("x… from");
  }

  @Test
  void handshakesAreCountedByResult() {
    records.onHandshake(HandshakeResult.SUCCESS);
    records.onHandshake(HandshakeResult.SUCCESS);
    records.onHandshake(HandshakeResult.CERTIFICATE_EXPIRED);

    assertThat(records.handshakes())
        .isEqualTo(Map.of(HandshakeResult.SUCCESS, 2L, HandshakeResult.CERTIFICATE_EXPIRED, 1L));
  }

  /** A call of {@code spiffe://mesh/ship}. */
  private record Call(String path) implements FilteredCall, AuthorizationInput {
    @Override
    public AuthorizationInput authorization() {
      return this;
    }

    @Override
    public @Nullable String header(String name) {
      return null;
    }

    @Override
    public Connection connection() {
      return new Connection(
          new PeerIdentity.Certified(List.of("spiffe://mesh/ship"), List.of(), ""),
          new IpAddress(false, 0, 0x0A00_0009),
          IpAddress.of(InetAddress.getLoopbackAddress()),
          8080);
    }

    @Override
    public RequestView request() {
      throw new UnsupportedOperationException();
    }

    @Override
    public RandomSource random() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void decided(Rbac.Decision decision) {}

    @Override
    public String cluster() {
      return "";
    }

    @Override
    public Set<String> clusters() {
      return Set.of();
    }

    @Override
    public void changeCluster(String name) {}

    @Override
    public @Nullable SessionHint session() {
      return null;
    }

    @Override
    public void session(SessionHint hint) {}
  }
}
