package io.outrigger.xds.report;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterStats;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsRequest;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsResponse;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ScriptedRandom;
import io.outrigger.xds.decode.WireNode;
import io.outrigger.xds.report.LoadReporters.ReportPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Reports to servers that take them, and to servers that do not. */
class LoadReportersScenarioTest {
  private static final XdsServer ONE = server("one");
  private static final XdsServer TWO = server("two");
  private static final WireNode NODE =
      new WireNode(
          Node.newBuilder().setId("node").addClientFeatures("feature").build().toByteString());
  private static final RpcStatus GONE = RpcStatus.unavailable("gone");

  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeLoadSource source = new FakeLoadSource();
  private final Map<XdsServer, FakeLrsTransport> transports = new HashMap<>();
  private final LoadReporters reporters = start();

  @AfterEach
  void noTimerIsLeft() {
    loop.inside(reporters::close);
    assertThat(loop.pendingTimers()).isZero();
  }

  @Conformance("A27-12")
  @Test
  void aServerIsAskedOnlyOnceThereIsLoadForIt() {
    assertThat(transports).isEmpty();

    count(ONE, "pay", 1);

    assertThat(transports).containsOnlyKeys(ONE);
    assertThat(transport(ONE).streams()).hasSize(1);
  }

  @Test
  void onlyTheFirstRequestSaysWhoWeAre() {
    count(ONE, "pay", 1);

    assertThat(transport(ONE).stream().take())
        .containsExactly(
            LoadStatsRequest.newBuilder()
                .setNode(
                    Node.newBuilder()
                        .setId("node")
                        .addClientFeatures("feature")
                        .addClientFeatures("envoy.lrs.supports_send_all_clusters"))
                .build());
    transport(ONE).stream().ask(Duration.ofSeconds(5));
    loop.advance(Duration.ofSeconds(5));

    assertThat(transport(ONE).stream().take()).hasSize(1).noneMatch(LoadStatsRequest::hasNode);
  }

  @Conformance({"A27-12", "A64-02"})
  @Test
  void theServerSaysHowOften() {
    count(ONE, "pay", 3);
    loop.advance(Duration.ofMinutes(1));
    transport(ONE).stream().take();

    transport(ONE).stream().ask(Duration.ofSeconds(5));
    loop.advance(Duration.ofMillis(4999));
    assertThat(transport(ONE).stream().take()).isEmpty();
    loop.advance(Duration.ofMillis(1));
    assertThat(reported(ONE)).containsExactly(Map.of("pay", 3L));

    count(ONE, "pay", 2);
    loop.advance(Duration.ofSeconds(10));
    assertThat(reported(ONE)).containsExactly(Map.of("pay", 2L), Map.of("pay", 0L));
  }

  @Conformance({"A27-12", "A64-03"})
  @Test
  void theServerSaysWhichClusters() {
    count(ONE, "pay", 1);
    count(ONE, "ship", 2);
    transport(ONE).stream().take();

    transport(ONE).stream().ask(Duration.ofSeconds(5), "ship", "unknown");
    loop.advance(Duration.ofSeconds(5));
    assertThat(reported(ONE)).containsExactly(Map.of("ship", 2L));

    transport(ONE).stream().ask(Duration.ofSeconds(5), "pay");
    loop.advance(Duration.ofSeconds(5));
    assertThat(reported(ONE)).containsExactly(Map.of("pay", 1L));

    count(ONE, "pay", 4);
    transport(ONE).stream().ask(Duration.ofSeconds(5));
    loop.advance(Duration.ofSeconds(5));
    assertThat(reported(ONE)).containsExactly(Map.of("pay", 4L, "ship", 0L));
  }

  @Test
  void namesWithoutAClusterGiveAnEmptyReport() {
    count(ONE, "pay", 1);
    transport(ONE).stream().take();

    transport(ONE).stream().ask(Duration.ofSeconds(5), "unknown");
    loop.advance(Duration.ofSeconds(5));

    assertThat(reported(ONE)).containsExactly(Map.of());
  }

  @Conformance("A64-03")
  @Test
  void anotherIntervalCountsFromTheLastReport() {
    count(ONE, "pay", 1);
    transport(ONE).stream().ask(Duration.ofSeconds(10));
    loop.advance(Duration.ofSeconds(10));
    transport(ONE).stream().take();

    loop.advance(Duration.ofSeconds(4));
    transport(ONE).stream().ask(Duration.ofSeconds(6));
    loop.advance(Duration.ofSeconds(1));
    assertThat(transport(ONE).stream().take()).isEmpty();
    loop.advance(Duration.ofSeconds(1));
    assertThat(transport(ONE).stream().take()).hasSize(1);

    loop.advance(Duration.ofSeconds(5));
    transport(ONE).stream().ask(Duration.ofSeconds(2));
    loop.advance(Duration.ZERO);
    assertThat(transport(ONE).stream().take()).hasSize(1);
  }

  @Test
  void aServerThatRepeatsItselfDoesNotPutOffTheReport() {
    count(ONE, "pay", 1);
    transport(ONE).stream().take();
    for (int i = 0; i < 10; i++) {
      transport(ONE).stream().ask(Duration.ofSeconds(5));
      loop.advance(Duration.ofSeconds(1));
    }

    assertThat(transport(ONE).stream().take()).hasSize(2);
  }

  @ParameterizedTest(name = "{0} s {1} ns -> every {2}")
  @CsvSource({
    "0,0,PT1S",
    "0,1,PT1S",
    "0,999999999,PT1S",
    "-5,0,PT1S",
    "5,-1,PT1S",
    "-9223372036854775808,-2147483648,PT1S",
    "1,500000000,PT1.5S",
    "9223372036854775807,999999999,PT1S",
    "315576000000,0,PT876600H",
  })
  void anIntervalThatIsNoneBecomesOne(long seconds, int nanos, Duration every) {
    count(ONE, "pay", 1);
    transport(ONE).stream().take();
    var response =
        LoadStatsResponse.newBuilder()
            .setSendAllClusters(true)
            .setLoadReportingInterval(
                com.google.protobuf.Duration.newBuilder().setSeconds(seconds).setNanos(nanos))
            .build();

    transport(ONE).stream().respond(response);

    assertThat(ReportPlan.of(response).interval()).isEqualTo(every);
    loop.advance(Duration.ofMillis(999));
    assertThat(transport(ONE).stream().take()).isEmpty();
  }

  @Test
  void withoutAnIntervalReportsComeEverySecond() {
    count(ONE, "pay", 1);
    transport(ONE).stream().take();

    transport(ONE).stream().respond(LoadStatsResponse.getDefaultInstance());
    loop.advance(Duration.ofSeconds(3));

    assertThat(transport(ONE).stream().take()).hasSize(3);
  }

  @Conformance("A64-02")
  @Test
  void whatAStreamDidNotCarryIsInTheNextReport() {
    count(ONE, "pay", 1);
    transport(ONE).stream().ask(Duration.ofSeconds(5));
    transport(ONE).stream().block();
    count(ONE, "pay", 2);
    loop.advance(Duration.ofSeconds(12));
    transport(ONE).stream().closeWith(GONE);
    loop.advance(Duration.ofSeconds(2));
    assertThat(transport(ONE).streams()).hasSize(2);
    transport(ONE).stream().take();
    count(ONE, "pay", 4);

    transport(ONE).stream().ask(Duration.ofSeconds(5));
    loop.advance(Duration.ofSeconds(5));

    assertThat(reported(ONE)).containsExactly(Map.of("pay", 7L));
  }

  @Test
  void aReportThatIsDueIsSentOnceTheStreamTakesIt() {
    count(ONE, "pay", 1);
    transport(ONE).stream().ask(Duration.ofSeconds(5));
    transport(ONE).stream().take();
    transport(ONE).stream().block();
    loop.advance(Duration.ofSeconds(9));
    assertThat(transport(ONE).stream().take()).isEmpty();

    transport(ONE).stream().unblock();

    assertThat(reported(ONE)).containsExactly(Map.of("pay", 1L));
    loop.advance(Duration.ofSeconds(4));
    assertThat(transport(ONE).stream().take()).isEmpty();
    loop.advance(Duration.ofSeconds(1));
    assertThat(transport(ONE).stream().take()).hasSize(1);
  }

  @Conformance("A27-12")
  @Test
  void aServerThatKnowsNoReportsIsAskedMoreAndMoreSeldomWithOneLineInTheLog() {
    try (var log = new Captured()) {
      count(ONE, "pay", 1);

      for (int i = 0; i < 2000; i++) {
        if (!transport(ONE).stream().isEnded()) {
          transport(ONE).stream()
              .closeWith(new RpcStatus(RpcStatus.Code.UNIMPLEMENTED, "no such service"));
        }
        loop.advance(Duration.ofSeconds(1));
      }

      List<Duration> opened =
          transport(ONE).streams().stream().map(FakeLrsTransport.Stream::openedAt).toList();
      assertThat(opened).hasSizeBetween(20, 40);
      assertThat(opened.get(1).minus(opened.get(0))).isLessThan(Duration.ofSeconds(3));
      assertThat(opened.get(opened.size() - 1).minus(opened.get(opened.size() - 2)))
          .isBetween(Duration.ofSeconds(96), Duration.ofSeconds(146));
      assertThat(log.lines()).hasSize(1);
      assertThat(log.lines().get(0)).contains("one", "UNIMPLEMENTED", "no such service");
      assertThat(source.waiting(ONE)).containsEntry("pay", 1L);
    }
  }

  @Test
  void theLogTellsWhenReportsAreTakenAgain() {
    try (var log = new Captured()) {
      count(ONE, "pay", 1);
      transport(ONE).stream().closeWith(GONE);
      loop.advance(Duration.ofSeconds(2));
      transport(ONE).stream().ask(Duration.ofSeconds(5));
      transport(ONE).stream().closeWith(GONE);
      loop.advance(Duration.ofSeconds(2));

      assertThat(log.lines()).hasSize(2);
      assertThat(log.lines().get(1)).contains("one", "accepted again");
      assertThat(transport(ONE).streams()).hasSize(3);
    }
  }

  @Test
  void aServerThatAnswersAndClosesIsNotHitInALoop() {
    count(ONE, "pay", 1);

    for (int i = 0; i < 100; i++) {
      if (!transport(ONE).stream().isEnded()) {
        transport(ONE).stream().ask(Duration.ofSeconds(5));
        transport(ONE).stream().closeWith(RpcStatus.OK);
      }
      loop.advance(Duration.ofMillis(100));
    }

    assertThat(transport(ONE).streams()).hasSizeBetween(8, 13);
  }

  @Conformance("A71-09")
  @Test
  void eachServerHasAPlanOfItsOwn() {
    count(ONE, "pay", 1);
    count(TWO, "ship", 2);
    transport(ONE).stream().ask(Duration.ofSeconds(5));
    transport(TWO).stream().ask(Duration.ofSeconds(2));
    transport(ONE).stream().take();
    transport(TWO).stream().take();

    loop.advance(Duration.ofSeconds(5));
    assertThat(reported(ONE)).containsExactly(Map.of("pay", 1L));
    assertThat(reported(TWO)).containsExactly(Map.of("ship", 2L), Map.of("ship", 0L));

    transport(TWO).stream().closeWith(GONE);
    loop.advance(Duration.ofSeconds(5));
    assertThat(reported(ONE)).containsExactly(Map.of("pay", 0L));
  }

  @Test
  void aServerWithoutLoadIsLeftAloneAnIntervalLater() {
    count(ONE, "pay", 1);
    transport(ONE).stream().ask(Duration.ofSeconds(5));
    loop.advance(Duration.ofSeconds(5));
    loop.inside(() -> source.forget(ONE));
    assertThat(transport(ONE).stream().isClosed()).isFalse();

    loop.advance(Duration.ofSeconds(5));
    assertThat(transport(ONE).stream().isClosed()).isTrue();

    count(ONE, "pay", 1);
    assertThat(transport(ONE).streams()).hasSize(2);
  }

  @Test
  void anEndedReporterIsSilent() {
    count(ONE, "pay", 1);
    transport(ONE).stream().ask(Duration.ofSeconds(5));
    transport(ONE).stream().take();
    count(TWO, "pay", 1);
    transport(TWO).stream().closeWith(GONE);

    loop.inside(reporters::close);
    transport(ONE).stream().closeWith(GONE);
    count(TWO, "ship", 1);
    loop.advance(Duration.ofMinutes(5));

    assertThat(transport(ONE).streams()).hasSize(1);
    assertThat(transport(ONE).stream().isClosed()).isTrue();
    assertThat(transport(ONE).stream().take()).isEmpty();
    assertThat(transport(TWO).streams()).hasSize(1);
  }

  private LoadReporters start() {
    List<LoadReporters> started = new ArrayList<>();
    loop.inside(
        () ->
            started.add(
                new LoadReporters(loop, new ScriptedRandom(7), NODE, this::transport, source)));
    return started.get(0);
  }

  private FakeLrsTransport transport(XdsServer server) {
    return transports.computeIfAbsent(server, absent -> new FakeLrsTransport(loop));
  }

  private void count(XdsServer server, String cluster, long requests) {
    loop.inside(() -> source.count(server, cluster, requests));
    loop.run();
  }

  /** What the reports since the last call say, by cluster. */
  private List<Map<String, Long>> reported(XdsServer server) {
    return transport(server).stream().take().stream()
        .map(LoadReportersScenarioTest::counts)
        .toList();
  }

  private static Map<String, Long> counts(LoadStatsRequest request) {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (ClusterStats stats : request.getClusterStatsList()) {
      counts.put(stats.getClusterName(), stats.getTotalDroppedRequests());
    }
    return counts;
  }

  private static XdsServer server(String uri) {
    return new XdsServer(
        uri, new XdsServer.ChannelCredentials.Insecure(), List.of(), ServerFeatures.NONE);
  }

  /** What an operator reads meanwhile. */
  private static final class Captured implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger(LoadReporters.class);
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();

    Captured() {
      events.start();
      logger.setLevel(Level.INFO);
      logger.addAppender(events);
    }

    List<String> lines() {
      return events.list.stream()
          .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
          .map(ILoggingEvent::getFormattedMessage)
          .toList();
    }

    @Override
    public void close() {
      logger.detachAppender(events);
      logger.setLevel(null);
    }
  }
}
