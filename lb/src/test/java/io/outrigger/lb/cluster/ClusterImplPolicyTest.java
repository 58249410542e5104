package io.outrigger.lb.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.route.Fraction;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.CircuitBreaker;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.PickResult.Reason;
import io.outrigger.lb.Picker;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.endpoint.LeafPolicies;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.LbNode;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClusterImplPolicyTest {
  private static final String E1 = "10.0.0.1:80";
  private static final FailureNote NOTE = new FailureNote("pay", Samples.NOTE);
  private static final int THREADS = 64;

  private final FakeParent parent = new FakeParent();
  private final CircuitBreakers breakers = new CircuitBreakers();
  private final CircuitBreaker breaker = breakers.acquire("pay", "pay-eds");
  private final LoadRegistry loads = new LoadRegistry(parent.loop());
  private final ClusterImplPolicy policy =
      new ClusterImplPolicy(
          parent.context(THREADS),
          (leaf, above) -> LeafPolicies.create(parent.context(THREADS), leaf, above),
          breakers,
          loads,
          config(1, List.of()),
          parent);

  @Conformance({"A27-10", "A27-11"})
  @Test
  void categoriesAreDrawnInOrderEachByItself() {
    connected(
        config(
            10,
            List.of(drop("half", 50, 100), drop("some", 1, 10_000), drop("few", 9, 1_000_000))));

    parent.random().next(Purpose.DROP, 49);
    assertThat(dropped()).isEqualTo("half");
    parent.random().next(Purpose.DROP, 50, 0);
    assertThat(dropped()).isEqualTo("some");
    parent.random().next(Purpose.DROP, 50, 1, 8);
    assertThat(dropped()).isEqualTo("few");
    parent.random().next(Purpose.DROP, 50, 1, 9);

    assertThat(parent.pick()).isInstanceOf(PickResult.Use.class);
  }

  @Conformance("A27-10")
  @Test
  void aShareIsCappedAtAll() {
    connected(config(10, List.of(drop("all", 250, 100))));

    assertThat(dropped()).isEqualTo("all");
  }

  @Conformance("A27-11")
  @Test
  void dropsComeBeforeTheBreakerAndBeforeWaiting() {
    update(config(0, List.of(drop("all", 100, 100))));

    assertThat(reason()).isEqualTo(Reason.OVERLOAD_DROP);
    parent.ready(E1);

    assertThat(reason()).isEqualTo(Reason.OVERLOAD_DROP);
    assertThat(breaker.inFlight()).isZero();
  }

  @Conformance({"A32-02", "A32-03"})
  @Test
  void aCallAboveTheLimitFailsAtOnce() {
    connected(config(100, List.of()));
    for (int i = 0; i < 100; i++) {
      start();
    }

    assertThat(reason()).isEqualTo(Reason.CIRCUIT_BREAKER);
    assertThat(((PickResult.Drop) parent.pick()).status().message())
        .startsWith("cluster \"pay\": ")
        .endsWith(Samples.NOTE);
  }

  @Conformance("A32-04")
  @Test
  void aCallCountsFromItsPickToItsEndHoweverItEnds() {
    connected(config(1, List.of()));

    for (CallOutcome outcome : CallOutcome.values()) {
      Subchannel subchannel = start();
      assertThat(reason()).isEqualTo(Reason.CIRCUIT_BREAKER);
      subchannel.callEnded(TestCall.CALL, outcome);
    }

    assertThat(breaker.inFlight()).isZero();
    assertThat(start()).isNotNull();
  }

  @Conformance("A32-04")
  @Test
  void aCallThatWaitsDoesNotCount() {
    update(config(1, List.of()));

    assertThat(parent.pick()).isInstanceOf(PickResult.Queue.class);
    assertThat(parent.pick()).isInstanceOf(PickResult.Queue.class);

    assertThat(breaker.inFlight()).isZero();
  }

  @Conformance("A32-05")
  @Test
  void aLowerLimitCutsNothingAndRefusesUntilFewerAreLeft() {
    connected(config(100, List.of()));
    List<Subchannel> calls = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      calls.add(start());
    }

    update(config(50, List.of()));

    assertThat(parent.connector().open()).containsExactly(E1);
    for (int i = 0; i < 30; i++) {
      assertThat(reason()).isEqualTo(Reason.CIRCUIT_BREAKER);
      calls.get(i).callEnded(TestCall.CALL, CallOutcome.SUCCESS);
    }
    assertThat(reason()).isEqualTo(Reason.CIRCUIT_BREAKER);
    calls.get(30).callEnded(TestCall.CALL, CallOutcome.SUCCESS);
    assertThat(start()).isNotNull();
  }

  @Conformance("A32-07")
  @Test
  void aLimitOfZeroRefusesAll() {
    connected(config(0, List.of()));

    assertThat(reason()).isEqualTo(Reason.CIRCUIT_BREAKER);
  }

  @Conformance("A32-06")
  @Test
  void manyThreadsNeverExceedTheLimit() throws InterruptedException {
    int limit = 1; // so that every pick is at the limit
    connected(config(limit, List.of()));
    Picker picker = parent.picker();
    var inFlight = new AtomicInteger();
    var most = new AtomicInteger();
    var picked = new AtomicInteger();
    var start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      var call = new TestCall(i);
      var thread =
          new Thread(
              () -> {
                try {
                  start.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
                for (int n = 0; n < 100_000; n++) {
                  if (picker.pick(call) instanceof PickResult.Use use) {
                    picked.incrementAndGet();
                    most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                    Thread.onSpinWait();
                    inFlight.decrementAndGet();
                    use.subchannel().callEnded(call, CallOutcome.SUCCESS);
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }

    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(most.get()).isLessThanOrEqualTo(limit);
    assertThat(breaker.inFlight()).isZero();
    assertThat(totals()).isEqualTo(new SubchannelCalls(0, picked.get(), 0));
  }

  @Test
  void callsAreCountedByOutcome() {
    connected(config(10, List.of()));

    start().callEnded(TestCall.CALL, CallOutcome.SUCCESS);
    start().callEnded(TestCall.CALL, CallOutcome.FAILURE);
    start().callEnded(TestCall.CALL, CallOutcome.NOT_SENT);
    start();

    assertThat(totals()).isEqualTo(new SubchannelCalls(1, 1, 1));
  }

  @Test
  void dropsAreCountedByCategoryAndRefusalsApart() {
    connected(config(1, List.of(drop("half", 50, 100), drop("some", 1, 100))));
    parent.random().next(Purpose.DROP, 49, 49, 50, 0, 50, 1, 50, 1);
    pickOn(0, 3, 2);
    start();

    assertThat(reason()).isEqualTo(Reason.CIRCUIT_BREAKER);

    assertThat(Samples.describe(policy, "pay").detail())
        .isEqualTo("1 request in flight, 2 dropped (half), 1 dropped (some), 1 refused");
  }

  @Test
  void countsOutliveAnotherShareButNotTheirCategory() {
    connected(config(10, List.of(drop("a", 100, 100), drop("b", 1, 100))));
    pickOn(0, 1);

    update(config(10, List.of(drop("b", 2, 100), drop("a", 50, 100))));
    assertThat(Samples.describe(policy, "pay").detail()).endsWith("0 dropped (b), 2 dropped (a)");
    update(config(10, List.of()));
    assertThat(Samples.describe(policy, "pay").detail()).isEqualTo("0 requests in flight");
    update(config(10, List.of(drop("a", 50, 100))));

    assertThat(Samples.describe(policy, "pay").detail()).endsWith("0 dropped (a)");
  }

  @Test
  void aReplacedPickerCountsOn() {
    connected(config(10, List.of(drop("a", 100, 100))));
    Picker before = parent.picker();
    update(config(10, List.of(drop("a", 90, 100))));

    before.pick(TestCall.CALL);

    assertThat(Samples.describe(policy, "pay").detail()).endsWith("1 dropped (a)");
  }

  @Test
  void dropsAreCountedOnEveryLoop() {
    connected(config(10, List.of(drop("all", 100, 100))));

    pickOn(0, 7, 8, 9, THREADS - 1);

    assertThat(Samples.describe(policy, "pay").detail()).endsWith("5 dropped (all)");
  }

  @Test
  void statusShowsTheShareOfEachCategory() {
    connected(config(10, List.of(drop("half", 50, 100), drop("some", 1, 10_000))));

    assertThat(Samples.describe(policy, "pay").config())
        .containsEntry("drops", List.of("half: 50/100", "some: 1/10000"));
  }

  /** A pick on each of these loops, dropped. */
  private void pickOn(int... loops) {
    for (int loop : loops) {
      assertThat(parent.picker().pick(new TestCall(loop))).isInstanceOf(PickResult.Drop.class);
    }
  }

  @Test
  void anotherLimitTouchesNoConnection() {
    connected(config(10, List.of()));

    update(config(20, List.of(drop("x", 1, 100))));

    assertThat(parent.connector().count()).isEqualTo(1);
    assertThat(parent.subchannels()).isEqualTo(1);
  }

  @Test
  void theBreakerIsGivenBackOnceAndCallsInFlightStillCountOut() {
    connected(config(10, List.of()));
    Subchannel call = start();

    parent.loop().inside(policy::close);
    parent.loop().inside(policy::close);
    assertThat(breakers.acquire("pay", "pay-eds")).isSameAs(breaker);
    call.callEnded(TestCall.CALL, CallOutcome.SUCCESS);

    assertThat(breaker.inFlight()).isZero();
  }

  private SubchannelCalls totals() {
    List<LbNode> nodes = new ArrayList<>();
    parent.loop().inside(() -> nodes.add(Samples.describe(policy, "pay")));
    return nodes.get(0).children().get(0).endpoints().get(0).calls();
  }

  private Subchannel start() {
    return ((PickResult.Use) parent.pick()).subchannel();
  }

  private Reason reason() {
    return ((PickResult.Drop) parent.pick()).reason();
  }

  @Conformance("A105-01")
  @Test
  void anotherLimitOfConnectionsReachesTheSubchannelsThatExist() {
    connected(config(10, List.of(), 2));
    assertThat(parent.connector().last(E1).maxConnections()).isEqualTo(2);

    update(config(10, List.of(), 5));

    assertThat(parent.connector().last(E1).maxConnections()).isEqualTo(5);
    assertThat(parent.connector().count()).isEqualTo(1);
    assertThat(Samples.describe(policy, "pay").config())
        .containsEntry("max_connections_per_subchannel", 5L);
  }

  private String dropped() {
    String message = ((PickResult.Drop) parent.pick()).status().message();
    return message.substring(message.indexOf("category \"") + 10, message.lastIndexOf('"'));
  }

  private static DropCategory drop(String category, long numerator, int denominator) {
    return new DropCategory(category, new Fraction(numerator, denominator));
  }

  private static LbConfig.ClusterImpl config(long maxRequests, List<DropCategory> drops) {
    return config(maxRequests, drops, 1);
  }

  private static LbConfig.ClusterImpl config(
      long maxRequests, List<DropCategory> drops, long maxConnections) {
    return new LbConfig.ClusterImpl(
        NOTE,
        "pay-eds",
        drops,
        maxRequests,
        maxConnections,
        Optional.empty(),
        new LbConfig.Leaf(
            new BalancingPolicy.RoundRobin(),
            Samples.backends(E1),
            LocalityWeights.EQUAL,
            NOTE,
            ""));
  }

  private void update(LbConfig config) {
    parent.loop().inside(() -> policy.update(config));
  }

  private void connected(LbConfig config) {
    update(config);
    parent.ready(E1);
  }
}
