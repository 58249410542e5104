package io.outrigger.lb.subchannel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.Connector;
import io.outrigger.lb.Transport;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.testing.FakeConnector;
import io.outrigger.lb.testing.Samples;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ConnectionPaceTest {
  private static final Duration ALMOST = ConnectionPace.MAX_COUNTED_TIME.minusNanos(1);
  private static final EndpointAddress ADDRESS = Samples.address("10.0.0.1:80");

  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeConnector connector = new FakeConnector();
  private final ConnectionPace pace = new ConnectionPace(loop, 2);
  private final Connector target = pace.of(connector);
  private final Connector orders = target.ofCluster("orders");
  private final Connector pay = target.ofCluster("pay");
  private final List<String> heard = new ArrayList<>();
  private final List<ConnectionEvent> connections = new ArrayList<>();

  @Test
  void soManyAttemptsAreUnderWayAtATime() {
    connect(orders, "1", "2", "3", "4");
    assertThat(connector.open()).containsExactly("10.0.0.1:80", "10.0.0.2:80");

    loop.inside(() -> connector.last("10.0.0.2:80").ready());
    loop.inside(() -> connector.last("10.0.0.1:80").end("refused"));

    assertThat(connector.open()).containsExactly("10.0.0.2:80", "10.0.0.3:80", "10.0.0.4:80");
    assertThat(heard).containsExactly("2 ready", "3 begun", "1 UNAVAILABLE: refused", "4 begun");
  }

  @Test
  void whatNeverAnswersKeepsNobodyWaiting() {
    connect(orders, "1", "2", "3", "4", "5");

    loop.advance(ALMOST);
    assertThat(connector.count()).isEqualTo(2);
    loop.advance(Duration.ofNanos(1));
    assertThat(connector.count()).isEqualTo(4);
    loop.advance(ConnectionPace.MAX_COUNTED_TIME);
    assertThat(connector.count()).isEqualTo(5);
  }

  @Test
  void patienceIsCountedFromTheStartOfEach() {
    connect(orders, "1");
    loop.advance(Duration.ofMillis(15));
    connect(orders, "2", "3", "4");

    loop.advance(Duration.ofMillis(5));
    assertThat(connector.count()).isEqualTo(3);
    loop.advance(Duration.ofMillis(15));
    assertThat(connector.count()).isEqualTo(4);
  }

  @Test
  void oneThatWasSlowFreesNoPlaceTwice() {
    connect(orders, "1", "2", "3", "4", "5");
    loop.advance(ConnectionPace.MAX_COUNTED_TIME);

    loop.inside(() -> connector.last("10.0.0.1:80").ready());
    assertThat(connector.count()).isEqualTo(4);
  }

  @Test
  void clustersTakeTurns() {
    connect(orders, "1", "2", "3", "4", "5");
    connect(pay, "11", "12");

    settleAll(7);

    assertThat(heard.stream().filter(line -> line.endsWith("begun")))
        .containsExactly("3 begun", "11 begun", "4 begun", "12 begun", "5 begun");
  }

  @Test
  void clustersWhoseCallsWaitComeFirstUntilOneOfTheirConnectionsIsReady() {
    connect(orders, "1", "2", "3", "4", "5");
    connect(pay, "11", "12", "13");
    loop.inside(pay::onCallsWaiting);
    assertThat(connector.newest()).isSameAs(connector.last("10.0.0.11:80"));

    loop.inside(() -> connector.last("10.0.0.1:80").end("refused"));
    assertThat(connector.count()).isEqualTo(3);
    loop.inside(() -> connector.last("10.0.0.2:80").end("refused"));
    assertThat(connector.newest()).isSameAs(connector.last("10.0.0.12:80"));
    loop.inside(() -> connector.last("10.0.0.12:80").ready());
    assertThat(connector.newest()).isSameAs(connector.last("10.0.0.3:80"));
    loop.inside(() -> connector.last("10.0.0.3:80").ready());
    assertThat(connector.newest()).isSameAs(connector.last("10.0.0.13:80"));
  }

  @Test
  void oneAttemptOfAClusterWhoseCallsWaitExceedsTheLimit() {
    connect(orders, "1", "2", "3");
    loop.inside(pay::onCallsWaiting);
    connect(pay, "11", "12", "13");
    assertThat(connector.count()).isEqualTo(3);

    loop.inside(() -> connector.last("10.0.0.11:80").end("refused"));
    assertThat(connector.newest()).isSameAs(connector.last("10.0.0.12:80"));
    loop.advance(ConnectionPace.MAX_COUNTED_TIME);

    assertThat(connector.count("10.0.0.13:80")).isEqualTo(1);
  }

  @Test
  void atMostTwiceTheLimitRuns() {
    connect(orders, "1", "2");
    for (int cluster = 1; cluster <= 3; cluster++) {
      Connector waiting = target.ofCluster("c" + cluster);
      loop.inside(waiting::onCallsWaiting);
      connect(waiting, "1" + cluster);
    }

    assertThat(connector.count()).isEqualTo(4);
  }

  @Test
  void laterAttemptsOfAClusterThatIsAwaitedComeFirstToo() {
    loop.inside(pay::onCallsWaiting);
    connect(orders, "1", "2", "3", "4");
    connect(pay, "11", "12");

    loop.inside(() -> connector.last("10.0.0.1:80").ready());
    assertThat(connector.count()).isEqualTo(3);
    loop.inside(() -> connector.last("10.0.0.2:80").ready());

    assertThat(connector.newest()).isSameAs(connector.last("10.0.0.12:80"));
  }

  @Test
  void oneThatIsGivenUpWhileItWaitsNeverBegins() {
    List<Connector.Attempt> attempts = connect(orders, "1", "2", "3", "4");
    loop.inside(attempts.get(2)::close);

    settleAll(3);

    assertThat(connector.count("10.0.0.3:80")).isZero();
    assertThat(connector.count("10.0.0.4:80")).isEqualTo(1);
  }

  @Test
  void oneThatIsGivenUpMakesRoom() {
    List<Connector.Attempt> attempts = connect(orders, "1", "2", "3");
    loop.inside(attempts.get(0)::close);

    assertThat(connector.last("10.0.0.1:80").isGivenUp()).isTrue();
    assertThat(connector.count("10.0.0.3:80")).isEqualTo(1);
  }

  @Test
  void theLimitOfConnectionsHoldsFromTheStart() {
    List<Connector.Attempt> attempts = connect(orders, "1", "2", "3");
    loop.inside(() -> attempts.get(2).limitConnections(7));
    settleAll(2);

    assertThat(connector.last("10.0.0.3:80").maxConnections()).isEqualTo(7);
    loop.inside(() -> attempts.get(2).limitConnections(4));
    assertThat(connector.last("10.0.0.3:80").maxConnections()).isEqualTo(4);
  }

  @Test
  void targetsShareThePace() {
    Connector other = pace.of(connector).ofCluster("orders");
    connect(orders, "1", "2");
    connect(other, "3");

    assertThat(connector.count()).isEqualTo(2);
  }

  @Test
  void everyWayToConnectIsPaced() {
    List<Connector.Attempt> attempts = new ArrayList<>();
    for (Connector way : List.of(target, orders, pay.ofEndpoint(ADDRESS))) {
      loop.inside(() -> attempts.add(way.connect(ADDRESS, 1, new Heard("1"))));
    }
    assertThat(connector.count()).isEqualTo(2);

    attempts.forEach(attempt -> loop.inside(attempt::close));
    assertThat(connector.open()).isEmpty();
  }

  @Test
  void theOwnerHearsAllThatBecomesOfItsAttempt() {
    connect(orders, "1");

    loop.inside(() -> connector.last("10.0.0.1:80").ready());
    loop.inside(() -> connector.last("10.0.0.1:80").end("lost"));
    loop.inside(() -> connector.last("10.0.0.1:80").remedied());

    assertThat(heard).containsExactly("1 ready", "1 UNAVAILABLE: lost", "1 remedied");
    assertThat(connections)
        .containsExactly(new ConnectionEvent.Made(), new ConnectionEvent.Lost("unknown"));
  }

  @Test
  void attemptsAreMadeAndGivenUpOnTheControlLoopAlone() {
    Connector.Attempt attempt = connect(orders, "1").get(0);

    List<ThrowingCallable> calls =
        List.of(
            () -> orders.connect(ADDRESS, 1, new Heard("1")), pay::onCallsWaiting, attempt::close);

    assertThat(calls)
        .allSatisfy(call -> assertThatThrownBy(call).isInstanceOf(IllegalStateException.class));
  }

  private List<Connector.Attempt> connect(Connector cluster, String... hosts) {
    List<Connector.Attempt> attempts = new ArrayList<>();
    for (String host : hosts) {
      EndpointAddress address = Samples.address("10.0.0." + host + ":80");
      loop.inside(
          () -> attempts.add(cluster.ofEndpoint(address).connect(address, 1, new Heard(host))));
    }
    return attempts;
  }

  /** The attempts that are under way succeed, one after the other. */
  private void settleAll(int count) {
    for (int i = 0; i < count; i++) {
      String oldest =
          connector.open().stream().filter(address -> !isReady(address)).findFirst().orElseThrow();
      loop.inside(() -> connector.last(oldest).ready());
    }
  }

  private boolean isReady(String address) {
    String host = address.substring("10.0.0.".length(), address.indexOf(':'));
    return heard.contains(host + " ready");
  }

  private final class Heard implements Connector.Listener {
    private final String host;

    Heard(String host) {
      this.host = host;
    }

    @Override
    public void onStarted() {
      heard.add(host + " begun");
    }

    @Override
    public void onReady(Transport transport) {
      heard.add(host + " ready");
    }

    @Override
    public void onClosed(RpcStatus reason, Connector.Ending ending) {
      heard.add(host + " " + reason.code() + ": " + reason.message());
    }

    @Override
    public void onRemedied() {
      heard.add(host + " remedied");
    }

    @Override
    public void onConnection(ConnectionEvent event) {
      connections.add(event);
    }
  }
}
