package io.outrigger.xds.local;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ScriptedRandom;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.deps.XdsDependencyManager;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsObserver;
import io.outrigger.xds.testing.FakeDnsLookup;
import io.outrigger.xds.testing.Overlays;
import io.outrigger.xds.testing.RecordingConfigs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** From a {@code dns:///} target through stream, decoders, cache and graph to its configuration. */
class DnsResourcesScenarioTest {
  private static final ClusterSource.Dns NAME = new ClusterSource.Dns("pay.test", 80, false);
  private static final ClusterSource.Dns OTHER = new ClusterSource.Dns("::1", 81, false);
  private static final String TARGET = "dns:///pay.test:80";
  private static final Bootstrap NOBODY =
      new Bootstrap(
          List.of(),
          new Node("me", "", new Locality("", "", ""), Map.of()),
          Map.of(),
          Map.of(),
          "%s",
          Optional.empty());

  private final FakeControlLoop loop = new FakeControlLoop();
  private final RecordingConfigs configs = new RecordingConfigs();
  private final FakeDnsLookup dns = new FakeDnsLookup(loop);
  private final AdsClients clients =
      new AdsClients(
          loop,
          Runnable::run,
          new ScriptedRandom(1),
          NOBODY,
          "1",
          ResourceDecoder::decode,
          server -> DnsResources.of(loop, List.of(NAME, OTHER)),
          AdsObserver.NONE);
  private final XdsDependencyManager manager =
      new XdsDependencyManager(
          loop,
          clients.of(TARGET, DnsResources.SERVER),
          dns,
          TARGET,
          "anything",
          "me",
          configs,
          RandomSource.SYSTEM);

  private void start() {
    loop.inside(manager::start);
  }

  private void answer(String... ips) {
    loop.inside(() -> dns.answer("pay.test", ips));
  }

  private void fail(String reason) {
    loop.inside(() -> dns.fail("pay.test", reason));
  }

  private void requestReresolution() {
    loop.inside(manager::requestReresolution);
  }

  private XdsConfig config() {
    return configs.last().toOptional().orElseThrow();
  }

  private ClusterConfig.Leaf leaf() {
    Outcome<ClusterConfig> cluster = config().clusters().get(TARGET);
    assertThat(cluster).as(TARGET).isNotNull();
    return (ClusterConfig.Leaf) cluster.toOptional().orElseThrow();
  }

  private List<Endpoint> endpoints() {
    var priorities = leaf().endpoints().toOptional().orElseThrow().priorities();
    assertThat(priorities).hasSize(1);
    assertThat(priorities.get(0)).hasSize(1);
    return priorities.get(0).get(0).endpoints();
  }

  private List<String> addresses() {
    return endpoints().stream().map(endpoint -> endpoint.address().toString()).toList();
  }

  @Conformance("DI-08")
  @Test
  void eachAddressIsAnEndpointAndRoundRobinSharesCallsAmongThem() {
    start();
    answer("10.0.0.1", "10.0.0.2", "2001:db8::1");

    assertThat(addresses()).containsExactly("10.0.0.1:80", "10.0.0.2:80", "[2001:db8::1]:80");
    assertThat(endpoints()).allSatisfy(each -> assertThat(each.addresses()).hasSize(1));
    assertThat(endpoints().get(0).hostname()).isEqualTo("pay.test:80");
    assertThat(leaf().cluster().policy()).isEqualTo(ClusterResource.DEFAULT_POLICY);
  }

  /** No control plane serves such a target, so the log must not send people to look for one. */
  @Test
  void theLogNamesNoControlPlane() {
    var logger = (Logger) LoggerFactory.getLogger("io.outrigger.xds.stream");
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    logger.addAppender(lines);
    logger.setLevel(Level.DEBUG);
    try {
      start();
      answer("10.0.0.1");
    } finally {
      logger.setLevel(null);
      logger.detachAppender(lines);
    }

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .contains("resources from dns: connected")
        .noneMatch(line -> line.contains("control plane"));
  }

  @Conformance("DI-08")
  @Test
  void nothingIsLimitedThatAPlainClientWouldNotLimit() {
    start();
    answer("10.0.0.1");

    assertThat(config().listener().maxStreamDuration()).contains(Duration.ZERO);
    var route = (RouteAction.Forward) config().virtualHost().routes().get(0).action();
    assertThat(route.timeout().timeout()).isEmpty();
    assertThat(leaf().cluster().limits().maxRequests()).isEqualTo(ClusterResource.UNLIMITED);
    assertThat(leaf().cluster().outlierDetection()).isEmpty();
  }

  @Conformance("DI-08")
  @Test
  void rulesOfLocalPolicyFindEverythingUnset() {
    loop.inside(
        () ->
            clients.overlay(
                Overlays.of(
                    """
                    overlay:
                    - name: limits
                      clusters: ["dns:///*"]
                      patch:
                        outlier_detection: {interval: 1s}
                        circuit_breakers: {thresholds: [{max_requests: 7}]}
                        lb_policy: LEAST_REQUEST
                    - name: retries
                      targets: ["dns:///pay.test:*"]
                      patch:
                        timeout: 3s
                        retry_policy: {retry_on: unavailable, num_retries: 2}
                    """),
                (resource, omission) -> {}));
    start();
    answer("10.0.0.1");

    assertThat(leaf().cluster().limits().maxRequests()).isEqualTo(7);
    assertThat(leaf().cluster().outlierDetection()).isPresent();
    assertThat(leaf().cluster().policy()).isNotEqualTo(ClusterResource.DEFAULT_POLICY);
    var route = (RouteAction.Forward) config().virtualHost().routes().get(0).action();
    assertThat(route.timeout().timeout()).contains(Duration.ofSeconds(3));
    assertThat(route.retry().map(RetryPolicy::maxAttempts)).contains(3);
  }

  /** The rules of docs/use/dns.md. */
  @Test
  void theRulesOfThePageAreInForce() throws Exception {
    String page = Files.readString(Path.of("../docs/use/dns.md"));
    int begin = page.indexOf("```yaml\n") + "```yaml\n".length();
    String rules =
        page.substring(begin, page.indexOf("```", begin)).replace("orders.example", "pay.test");
    loop.inside(() -> clients.overlay(Overlays.of(rules), (resource, omission) -> {}));
    start();
    answer("10.0.0.1");

    assertThat(leaf().cluster().outlierDetection()).isPresent();
    var route = (RouteAction.Forward) config().virtualHost().routes().get(0).action();
    assertThat(route.timeout().timeout()).contains(Duration.ofSeconds(2));
    assertThat(route.retry()).isPresent();
  }

  @Conformance("DI-08")
  @Test
  void aNameIsAskedForAgainOnRequestEveryThirtySecondsAtMost() {
    start();
    answer("10.0.0.1");
    dns.takeAsked();

    requestReresolution();
    loop.advance(Duration.ofMillis(29_999));
    assertThat(dns.takeAsked()).isEmpty();
    loop.advance(Duration.ofMillis(1));
    assertThat(dns.takeAsked()).containsExactly("pay.test:80");

    answer("10.0.0.2");
    assertThat(addresses()).containsExactly("10.0.0.2:80");
    loop.advance(Duration.ofMinutes(10));
    assertThat(dns.takeAsked()).as("nobody asked").isEmpty();
  }

  @Conformance("DI-08")
  @Test
  void aFailureIsTriedAgainAfterABackOff() {
    start();
    fail("NXDOMAIN");

    assertThat(leaf().endpoints().status())
        .isEqualTo(RpcStatus.unavailable("DNS name \"pay.test:80\": NXDOMAIN"));
    loop.advance(Duration.ofMillis(1200));
    fail("SERVFAIL");
    loop.advance(Duration.ofMillis(1200));
    assertThat(dns.running()).as("the second back-off is longer").isZero();
    loop.advance(Duration.ofMillis(800));
    answer("10.0.0.1");

    assertThat(addresses()).containsExactly("10.0.0.1:80");
  }

  @Conformance("DI-08")
  @Test
  void aLaterFailureKeepsTheAddresses() {
    start();
    answer("10.0.0.1", "10.0.0.2");
    loop.advance(Duration.ofSeconds(30));
    requestReresolution();
    fail("SERVFAIL");

    assertThat(addresses()).containsExactly("10.0.0.1:80", "10.0.0.2:80");
    assertThat(leaf().resolutionNote()).isEqualTo("DNS name \"pay.test:80\": SERVFAIL");
  }

  @Conformance("DI-08")
  @Test
  void aNameServerThatHangsIsToldOfAndWaitedFor() {
    start();
    loop.advance(Duration.ofSeconds(11));
    assertThat(leaf().endpoints().status().message())
        .contains("pay.test:80", "no answer after 11 s");

    loop.advance(Duration.ofMinutes(1));
    answer("10.0.0.1");

    assertThat(addresses()).containsExactly("10.0.0.1:80");
  }

  @Test
  void aTargetThatNobodyNamedDoesNotExist() {
    var stranger =
        new XdsDependencyManager(
            loop,
            clients.of("dns:///other:1", DnsResources.SERVER),
            dns,
            "dns:///other:1",
            "other:1",
            "me",
            configs,
            RandomSource.SYSTEM);

    loop.inside(stranger::start);

    assertThat(configs.last().status().message()).contains("does not exist in dns");
  }

  @Test
  void allTargetsShareAStream() {
    start();
    loop.inside(
        new XdsDependencyManager(
                loop,
                clients.of("dns:///[::1]:81", DnsResources.SERVER),
                dns,
                "dns:///[::1]:81",
                "[::1]:81",
                "me",
                new RecordingConfigs(),
                RandomSource.SYSTEM)
            ::start);

    loop.inside(() -> assertThat(clients.status().servers()).hasSize(1));
    assertThat(dns.takeAsked()).contains("pay.test:80", "::1:81");
    assertThat(DnsResources.target(OTHER)).isEqualTo("dns:///[::1]:81");
  }
}
