package io.outrigger.xds.deps;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.Resources;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LogicalDnsTest {
  private static Mesh routing() {
    return Mesh.routing("a").set(Resources.dns("a", "db.example", 443));
  }

  private static Mesh serving() {
    return answer(routing(), "10.0.0.1", "10.0.0.2");
  }

  private static Mesh answer(Mesh mesh, String... ips) {
    mesh.loop.inside(() -> mesh.dns.answer("db.example", ips));
    return mesh;
  }

  private static Mesh fail(Mesh mesh, String reason) {
    mesh.loop.inside(() -> mesh.dns.fail("db.example", reason));
    return mesh;
  }

  private static Mesh requestReresolution(Mesh mesh) {
    mesh.loop.inside(mesh.manager::requestReresolution);
    return mesh;
  }

  @Conformance("A37-02")
  @Test
  void allAddressesAreOneEndpointInOneNamelessLocality() {
    Mesh mesh = serving();

    var priorities = mesh.leaf("a").endpoints().toOptional().orElseThrow().priorities();
    assertThat(priorities).hasSize(1);
    assertThat(priorities.get(0)).hasSize(1);
    var locality = priorities.get(0).get(0);
    assertThat(locality.locality()).isEqualTo(new Locality("", "", ""));
    assertThat(locality.endpoints()).hasSize(1);
    var endpoint = locality.endpoints().get(0);
    assertThat(endpoint.addresses())
        .containsExactly(
            new EndpointAddress("10.0.0.1", 443), new EndpointAddress("10.0.0.2", 443));
    assertThat(endpoint.hostname()).isEqualTo("db.example:443");
    assertThat(endpoint.health().isUsable()).isTrue();
  }

  @Conformance({"A37-03", "A88-45"})
  @Test
  void firstFailureLeavesTheClusterWithoutEndpoints() {
    Mesh mesh = fail(routing(), "NXDOMAIN");

    assertThat(mesh.leaf("a").endpoints().status())
        .isEqualTo(RpcStatus.unavailable("DNS name \"db.example:443\": NXDOMAIN"));
    assertThat(mesh.note("a")).isEqualTo("xDS node ID: node-1");
  }

  @Conformance("A37-03")
  @Test
  void clusterThatCannotBeResolvedStaysALeafOfItsAggregate() {
    Mesh mesh = Mesh.routing("r").set(Resources.aggregate("r", "a", "b"));
    mesh.eds("b", "10.0.0.9").set(Resources.dns("a", "db.example", 443));

    fail(mesh, "NXDOMAIN");

    assertThat(mesh.leavesOf("r")).containsExactly("a", "b");
    assertThat(mesh.leaf("a").endpoints().isOk()).isFalse();
  }

  @Test
  void failureIsTriedAgainWithBackoffUntilItWorks() {
    Mesh mesh = fail(routing(), "SERVFAIL");
    assertThat(mesh.dns.running()).isZero();

    mesh.loop.advance(Duration.ofMillis(1200));
    assertThat(mesh.dns.running()).isOne();
    fail(mesh, "SERVFAIL");
    mesh.loop.advance(Duration.ofMillis(1200));
    assertThat(mesh.dns.running()).isZero();
    mesh.loop.advance(Duration.ofMillis(800));
    answer(mesh, "10.0.0.1");

    assertThat(mesh.ips("a")).containsExactly("10.0.0.1");
  }

  @Conformance({"A37-04", "A88-45"})
  @Test
  void laterFailureKeepsTheAddressesAndIsNoted() {
    Mesh mesh = serving();
    mesh.loop.advance(Duration.ofSeconds(30));

    fail(requestReresolution(mesh), "SERVFAIL");

    assertThat(mesh.ips("a")).containsExactly("10.0.0.1", "10.0.0.2");
    assertThat(mesh.note("a")).isEqualTo("DNS name \"db.example:443\": SERVFAIL");
    mesh.loop.advance(Duration.ofSeconds(2));
    answer(mesh, "10.0.0.1", "10.0.0.2");
    assertThat(mesh.note("a")).isEqualTo("xDS node ID: node-1");
  }

  @Conformance("A37-05")
  @Test
  void resolvesAgainOnRequestEveryThirtySecondsAtMost() {
    Mesh mesh = serving();
    mesh.dns.takeAsked();

    mesh.loop.advance(Duration.ofSeconds(10));
    requestReresolution(requestReresolution(mesh));
    mesh.loop.advance(Duration.ofMillis(19_999));
    assertThat(mesh.dns.takeAsked()).isEmpty();
    mesh.loop.advance(Duration.ofMillis(1));
    assertThat(mesh.dns.takeAsked()).containsExactly("db.example:443");

    requestReresolution(mesh);
    assertThat(mesh.dns.takeAsked()).isEmpty(); // one is running
    answer(mesh, "10.0.0.3");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.3");
    mesh.loop.advance(Duration.ofMinutes(10));
    assertThat(mesh.dns.takeAsked()).isEmpty(); // nobody asked
    requestReresolution(mesh);
    assertThat(mesh.dns.takeAsked()).containsExactly("db.example:443");

    answer(mesh, "10.0.0.3");
    requestReresolution(mesh);
    assertThat(mesh.dns.takeAsked()).as("just answered").isEmpty();
  }

  @Conformance("A37-09")
  @Test
  void requestConcernsEveryName() {
    Mesh mesh = Mesh.routing("a", "b").set(Resources.dns("a", "db.example", 443));
    mesh.set(Resources.dns("b", "web.example", 80));
    mesh.loop.inside(
        () -> {
          mesh.dns.answer("db.example", "10.0.0.1");
          mesh.dns.answer("web.example", "10.0.0.2");
        });
    mesh.loop.advance(Duration.ofSeconds(31));
    mesh.dns.takeAsked();

    requestReresolution(mesh);

    assertThat(mesh.dns.takeAsked()).containsExactlyInAnyOrder("db.example:443", "web.example:80");
  }

  @Test
  void sameAnswerPublishesNothing() {
    Mesh mesh = serving();
    int before = mesh.published.size();
    mesh.loop.advance(Duration.ofSeconds(31));

    answer(requestReresolution(mesh), "10.0.0.1", "10.0.0.2");

    assertThat(mesh.published).hasSize(before);
  }

  @Conformance("A37-08")
  @Test
  void nameServerThatHangsHoldsOtherClustersUpForElevenSecondsOnly() {
    Mesh mesh = Mesh.routing("a", "b").set(Resources.dns("a", "db.example", 443));
    mesh.eds("b", "10.0.0.9");

    mesh.loop.advance(Duration.ofMillis(10_999));
    assertThat(mesh.published).isEmpty();
    mesh.loop.advance(Duration.ofMillis(1));
    assertThat(mesh.ips("b")).containsExactly("10.0.0.9");
    assertThat(mesh.leaf("a").endpoints().status().message()).contains("no answer after 11 s");

    mesh.loop.advance(Duration.ofSeconds(19));
    answer(mesh, "10.0.0.1");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.1");
  }

  @Test
  void clusterThatGoesAwayEndsItsLookup() {
    Mesh mesh = Mesh.serving("b");
    mesh.set(Resources.routes("r1", "a", "b")).set(Resources.dns("a", "db.example", 443));
    assertThat(mesh.dns.running()).isOne();

    mesh.set(Resources.routes("r1", "b"));

    assertThat(mesh.dns.running()).isZero();
    assertThat(mesh.loop.pendingTimers()).isZero();
    assertThat(mesh.watched(CLUSTER)).containsExactly("b");
  }

  @Test
  void clusterThatComesBackIsResolvedAnew() {
    Mesh mesh = serving().eds("b", "10.0.0.9");
    mesh.set(Resources.routes("r1", "b"));
    mesh.dns.takeAsked();

    mesh.set(Resources.routes("r1", "a", "b"));

    assertThat(mesh.dns.takeAsked()).containsExactly("db.example:443");
    answer(mesh, "10.0.0.3");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.3");
  }

  @Test
  void clusterThatGoesAwayBetweenTwoAttemptsIsNotTriedAgain() {
    Mesh mesh = fail(routing(), "SERVFAIL").eds("b", "10.0.0.9");
    assertThat(mesh.loop.pendingTimers()).isOne();

    mesh.set(Resources.routes("r1", "b"));

    assertThat(mesh.loop.pendingTimers()).isZero();
  }

  @Test
  void nothingIsScheduledOnceThereIsAnAnswer() {
    assertThat(serving().loop.pendingTimers()).isZero();
  }

  @Test
  void successBeginsTheBackoffAnew() {
    Mesh mesh = fail(routing(), "SERVFAIL");
    mesh.loop.advance(Duration.ofMillis(1200));
    fail(mesh, "SERVFAIL");
    mesh.loop.advance(Duration.ofMillis(1920));
    answer(mesh, "10.0.0.1");
    mesh.loop.advance(Duration.ofSeconds(30));

    fail(requestReresolution(mesh), "SERVFAIL");
    mesh.dns.takeAsked();
    mesh.loop.advance(Duration.ofMillis(1200));

    assertThat(mesh.dns.takeAsked()).containsExactly("db.example:443");
  }

  @Test
  void answerThatComesAfterTheEndIsIgnored() {
    Mesh mesh = routing();

    mesh.loop.inside(
        () -> {
          mesh.dns.answer("db.example", "10.0.0.1"); // posted behind the close
          mesh.manager.close();
        });

    assertThat(mesh.published).isEmpty();
    assertThat(mesh.loop.pendingTimers()).isZero();
  }
}
