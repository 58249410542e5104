package io.outrigger.program.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.testing.FakeConnector;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.observe.events.EventLog;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ScriptedRandom;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.deps.XdsDependencyManager;
import io.outrigger.xds.testing.FakeDnsLookup;
import io.outrigger.xds.testing.FakeXdsClient;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AuthorityTargetsTest {
  private static final Duration PAST_IDLE = Duration.ofMinutes(63); // an hour and two sweeps

  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeXdsClient xds = new FakeXdsClient();
  private final AtomicInteger woken = new AtomicInteger();
  private final AuthorityTargets targets = new AuthorityTargets(loop, 2, this::make);

  AuthorityTargetsTest() {
    loop.inside(targets::start);
  }

  private TargetRuntime make(String authority) {
    var random = new ScriptedRandom(1);
    return new TargetRuntime(
        loop,
        "xds:///" + authority,
        authority,
        HttpFilters.ofProcess(),
        false,
        new TargetReports(new EventLog(loop), "all", authority, false),
        events ->
            new ClusterManager(
                new LbContext(loop, random, event -> {}, 1, false),
                new FakeConnector(),
                new CircuitBreakers(),
                new LoadRegistry(loop),
                false,
                events),
        events ->
            Outcome.ok(
                new XdsDependencyManager(
                    loop,
                    xds,
                    new FakeDnsLookup(loop),
                    authority,
                    authority,
                    "node-1",
                    events,
                    RandomSource.SYSTEM)));
  }

  private ForwardTarget use(String authority) {
    ForwardTarget target = targets.targetFor(authority).toOptional().orElseThrow();
    loop.run();
    return target;
  }

  @Conformance("SC-02")
  @Test
  void theNameOfAResourceKeepsItsLetters() {
    assertThat(use("OrderService")).isNotSameAs(use("orderservice"));
    assertThat(xds.watched(ResourceType.LISTENER))
        .containsExactlyInAnyOrder("OrderService", "orderservice");
  }

  @Conformance("SC-03")
  @Test
  void thereAreNoMoreTargetsThanAllowed() {
    use("a");
    use("b");

    assertThat(targets.targetFor("c").status().message())
        .contains("2 targets are in use (--max-targets)");
    assertThat(use("a")).isNotNull();
  }

  @Conformance("SC-03")
  @Test
  void aTargetThatNobodyUsedForAnHourIsReleasedAndMakesRoom() {
    use("a");
    use("b");
    loop.advance(PAST_IDLE);

    assertThat(targets.targets()).isEmpty();
    assertThat(xds.watched(ResourceType.LISTENER)).isEmpty();
    use("c");
    assertThat(xds.watched(ResourceType.LISTENER)).containsExactly("c");
  }

  @Test
  void aTargetThatARequestWaitsForIsInUse() {
    ForwardTarget target = use("a");
    long ticket = target.park(woken::incrementAndGet, null);
    loop.advance(PAST_IDLE);

    assertThat(woken).hasValue(0);
    assertThat(xds.watched(ResourceType.LISTENER)).containsExactly("a");
    target.unpark(ticket);
    loop.advance(PAST_IDLE);
    assertThat(xds.watched(ResourceType.LISTENER)).isEmpty();
  }

  @Test
  void aRequestThatComesToATargetJustReleasedIsAnswered() {
    ForwardTarget target = use("a");
    loop.advance(Duration.ofMinutes(61)); // out of the table, not closed yet
    target.park(woken::incrementAndGet, null);
    loop.advance(Duration.ofMinutes(1));

    assertThat(woken).hasValue(1);
    assertThat(target.selector().failure().orElseThrow().message())
        .isEqualTo("target xds:///a was released");
  }
}
