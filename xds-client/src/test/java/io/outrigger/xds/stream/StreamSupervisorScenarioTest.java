package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ENDPOINT;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.testing.TextResources.invalid;
import static io.outrigger.xds.testing.TextResources.resource;
import static io.outrigger.xds.testing.TextResources.unreadable;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ScriptedRandom;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.testing.FakeAdsTransport;
import io.outrigger.xds.testing.RecordingWatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A57 "Handling ADS Stream Termination" and "Handling Connectivity Failure". */
final class StreamSupervisorScenarioTest {
  private final AdsFixture ads = new AdsFixture();

  @Test
  void connectsWithTheFirstWatch() {
    assertThat(ads.transport.streams()).isEmpty();

    ads.watch(LISTENER, "a");

    assertThat(ads.transport.streams()).hasSize(1);
    ads.stream().ready();
    assertThat(ads.observed).containsExactly("connected cp.test:443");
  }

  @Test
  void aWatchThatIsClosedWithinItsTurnConnectsNothing() {
    ads.loop.inside(() -> ads.client.watch(LISTENER, "a", new RecordingWatcher<>()).close());

    assertThat(ads.transport.streams()).isEmpty();
    assertThat(server().connected()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 13, 14})
  @Conformance("A57-01")
  void aStreamWithoutResponseFailsTheWatchersOfEveryType(int code) {
    var listener = ads.watch(LISTENER, "a");
    var cluster = ads.watch(CLUSTER, "c");
    ads.stream().ready();

    ads.stream().closeWith(new RpcStatus(RpcStatus.Code.ofNumber(code), ""));

    assertThat(listener.take())
        .singleElement()
        .asString()
        .startsWith("failed: UNAVAILABLE: xDS server cp.test:443 cannot be reached: ");
    assertThat(cluster.take()).singleElement().asString().startsWith("failed: UNAVAILABLE");
    assertThat(ads.observed).last().asString().startsWith("failed cp.test:443");
  }

  @Test
  @Conformance({"A57-01", "A88-15"})
  void whatIsCachedStaysAndGetsTheFailureBesideIt() {
    var cached = ads.watch(LISTENER, "a");
    var missing = ads.watch(LISTENER, "b");
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "v1"));
    ads.stream().closeWith(RpcStatus.OK);
    ads.loop.advance(Duration.ofSeconds(1));
    cached.take();

    ads.stream().closeWith(AdsFixture.REFUSED);

    String reason = "xDS server cp.test:443 cannot be reached: connection refused";
    assertThat(cached.take()).containsExactly("ambient: UNAVAILABLE: " + reason);
    assertThat(missing.take()).containsExactly("failed: UNAVAILABLE: " + reason);
  }

  @Test
  @Conformance("A57-02")
  void aStreamThatEndsAfterAResponseIsNoError() {
    var watcher = ads.watch(LISTENER, "a");
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "v1"));
    watcher.take();

    ads.stream().closeWith(RpcStatus.unavailable("max age"));

    assertThat(watcher.take()).isEmpty();
    assertThat(ads.observed).last().asString().startsWith("closed");
    assertThat(ads.observed).noneMatch(event -> event.startsWith("failed"));
    assertThat(ads.status().servers().get(0).connected()).isTrue();
    assertThat(ads.status().servers().get(0).failures()).isZero();
  }

  @Test
  @Conformance("A57-03")
  void aRefusedResponseIsAResponse() {
    var watcher = ads.watch(LISTENER, "a");
    failStreams(5);
    watcher.take();
    ads.stream().ready().respond(LISTENER, "1", invalid(LISTENER, "a", "wrong"));
    watcher.take();

    ads.stream().closeWith(RpcStatus.OK);

    assertThat(watcher.take()).isEmpty();
    ads.loop.advance(Duration.ofSeconds(1));
    assertThat(lastGap()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aResponseOfUnknownTypeIsAResponse() {
    var watcher = ads.watch(LISTENER, "a");
    ads.stream().ready().respond(DiscoveryResponse.newBuilder().setTypeUrl("type/Other"));

    ads.stream().closeWith(RpcStatus.OK);

    assertThat(watcher.take()).isEmpty();
  }

  @Test
  @Conformance("A57-04")
  void attemptsWithoutAResponseBackOffExponentially() {
    for (long seed = 0; seed < 10; seed++) {
      var jittered = new AdsFixture(ServerFeatures.NONE, new ScriptedRandom(seed));
      jittered.watch(LISTENER, "a");
      double nominal = 1;
      for (int attempt = 0; attempt < 14; attempt++) {
        Duration before = jittered.stream().openedAt();
        jittered.stream().closeWith(AdsFixture.REFUSED);
        advanceToNextStream(jittered);

        double gap = jittered.stream().openedAt().minus(before).toMillis() / 1000.0;
        assertThat(gap)
            .as("seed %s, attempt %s", seed, attempt)
            .isBetween(0.8 * nominal - 0.001, 1.2 * nominal + 0.001);
        nominal = Math.min(nominal * 1.6, 120);
      }
    }
  }

  @Test
  @Conformance("A57-05")
  void timeSpentByTheAttemptCountsTowardsItsBackOff() {
    ads.watch(LISTENER, "a");
    ads.loop.advance(Duration.ofSeconds(5));

    ads.stream().closeWith(AdsFixture.REFUSED);

    assertThat(ads.transport.streams()).hasSize(2);
    assertThat(lastGap()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  @Conformance("A57-06")
  void aResponseBringsTheBackOffToItsStart() {
    ads.watch(LISTENER, "a");
    failStreams(5);
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "v1"));

    ads.stream().closeWith(RpcStatus.OK);
    ads.loop.advance(Duration.ofSeconds(1));

    assertThat(lastGap()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  @Conformance("A57-07")
  void aServerThatRespondsAndClosesIsNotHitInALoop() {
    ads.watch(LISTENER, "a");
    for (int round = 0; round < 3; round++) {
      ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "v1"));
      ads.loop.advance(Duration.ofMillis(100));
      ads.stream().closeWith(RpcStatus.OK);
      advanceToNextStream(ads);

      assertThat(lastGap()).isBetween(Duration.ofMillis(800), Duration.ofMillis(1200));
    }

    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "v1"));
    ads.loop.advance(Duration.ofHours(1));
    int before = ads.transport.streams().size();
    ads.stream().closeWith(RpcStatus.OK);

    assertThat(ads.transport.streams()).as("a long stream is replaced at once").hasSize(before + 1);
  }

  @Test
  @Conformance("A57-10")
  void whatIsCachedIsUsedForHoursWithoutAControlPlane() {
    var watcher = ads.watch(LISTENER, "a");
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "v1"));
    watcher.take();
    ads.stream().closeWith(RpcStatus.OK);

    for (int attempt = 0; attempt < 200; attempt++) {
      advanceToNextStream(ads);
      ads.stream().closeWith(AdsFixture.REFUSED);
    }

    assertThat(Duration.ofNanos(ads.loop.nanoTime())).isGreaterThan(Duration.ofHours(6));
    assertThat(watcher.take()).singleElement().asString().startsWith("ambient: UNAVAILABLE");
    assertThat(ads.watch(LISTENER, "a").take())
        .as("a new watcher is served from the cache")
        .first()
        .isEqualTo("ok: v1");
  }

  @Test
  @Conformance("A57-11")
  void resourcesArriveWithTheNextStreamOnceTheServerIsBack() {
    var watcher = ads.watch(LISTENER, "a");
    failStreams(3);
    watcher.take();

    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "v1"));

    assertThat(watcher.take()).containsExactly("ok: v1");
  }

  @Test
  @Conformance({"A88-26", "A88-27", "A57-39"})
  void theFirstResponseEndsTheOutageForEveryResource() {
    var listener = ads.watch(LISTENER, "a");
    var cluster = ads.watch(CLUSTER, "c");
    var route = ads.watch(ROUTE, "r");
    var endpoints = ads.watch(ENDPOINT, "e");
    ads.stream()
        .ready()
        .respond(LISTENER, "1", resource(LISTENER, "a", "v1"))
        .respond(CLUSTER, "1", resource(CLUSTER, "c", "v1"))
        .respond(ROUTE, "1", resource(ROUTE, "r", "v1"))
        .respond(ENDPOINT, "1", resource(ENDPOINT, "e", "v1"))
        .closeWith(RpcStatus.OK);
    ads.loop.advance(Duration.ofSeconds(1));
    ads.stream().closeWith(AdsFixture.REFUSED);
    ads.loop.advance(Duration.ofSeconds(2));
    for (var watcher : List.of(listener, cluster, route, endpoints)) {
      assertThat(watcher.take()).last().asString().startsWith("ambient: UNAVAILABLE");
    }

    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "v1"));

    for (var watcher : List.of(listener, cluster, route, endpoints)) {
      assertThat(watcher.take()).containsExactly("ambient: OK");
    }
  }

  @Test
  @Conformance("A88-38")
  void whoComesAfterARecoveryKnowsWhatThoseBeforeKnow() {
    var early = ads.watch(CLUSTER, "c");
    ads.watch(LISTENER, "a");
    ads.stream().closeWith(AdsFixture.REFUSED);
    ads.loop.advance(Duration.ofSeconds(1));
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));

    var late = ads.watch(CLUSTER, "c");
    var other = ads.watch(CLUSTER, "d");

    assertThat(late.take()).isEqualTo(early.take()).hasSize(1);
    assertThat(ads.status().resources())
        .filteredOn(resource -> resource.name().equals("c"))
        .singleElement()
        .satisfies(shown -> assertThat(shown.connectivityError()).isPresent());
    assertThat(other.take()).as("asked for after the recovery").isEmpty();
    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "y"));
    assertThat(early.take()).containsExactly("ok: y");
    assertThat(late.take()).containsExactly("ok: y");
  }

  @Test
  @Conformance("A78-01")
  void anOutageIsCountedOnceHoweverManyAttemptsFailInIt() {
    ads.watch(LISTENER, "a");
    assertThat(server().connected()).as("from the first attempt").isTrue();

    ads.stream().closeWith(AdsFixture.REFUSED);
    ads.loop.advance(Duration.ofSeconds(1));
    ads.stream().closeWith(AdsFixture.REFUSED);

    assertThat(server().connected()).isFalse();
    assertThat(server().outages()).isEqualTo(1);
    assertThat(server().failures()).isEqualTo(2);

    ads.loop.advance(Duration.ofSeconds(2));
    ads.stream().ready();
    assertThat(server().connected()).as("before the response").isFalse();
    ads.stream().respond(LISTENER, "1", resource(LISTENER, "a", "v1"));
    assertThat(server().connected()).isTrue();
    ads.stream().respond(LISTENER, "2", resource(LISTENER, "a", "v1"));
    assertThat(server().updates().get("lds").valid()).as("unchanged ones too").isEqualTo(2);
    ads.watch(LISTENER, "b");
    ads.stream()
        .respond(
            LISTENER,
            "3",
            resource(LISTENER, "a", "v1"),
            invalid(LISTENER, "b", "wrong"),
            unreadable(LISTENER));
    assertThat(server().updates().get("lds")).isEqualTo(new XdsStatusView.Updates(3, 2));

    ads.stream().closeWith(AdsFixture.REFUSED);
    ads.loop.advance(Duration.ofSeconds(1));
    ads.stream().closeWith(AdsFixture.REFUSED);
    assertThat(server().outages()).isEqualTo(2);
  }

  private XdsStatusView.Server server() {
    return ads.status().servers().get(0);
  }

  @Test
  @Conformance("A57-09")
  void aWatchDuringAnOutageFailsWithoutWaitingForTheNextAttempt() {
    ads.watch(LISTENER, "a");
    failStreams(5);
    ads.stream().closeWith(AdsFixture.REFUSED);

    var late = ads.watch(LISTENER, "b");

    assertThat(late.take()).singleElement().asString().contains("connection refused");
  }

  @Test
  @Conformance("A88-29")
  void aLateWatcherSeesTheResourceThenTheAmbientError() {
    ads.watch(LISTENER, "a");
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "v1"));
    ads.stream().respond(LISTENER, "2", invalid(LISTENER, "a", "wrong"));

    var late = ads.watch(LISTENER, "a");

    assertThat(late.take())
        .containsExactly("ok: v1", "ambient: INVALID_ARGUMENT: listener \"a\" is invalid: wrong");
  }

  @Test
  @Conformance("A57-37")
  void allWatchersShareOneStreamAndOneSubscription() {
    ads.watch(CLUSTER, "c");
    ads.watch(CLUSTER, "c");
    ads.watch(LISTENER, "a");

    assertThat(ads.transport.streams()).hasSize(1);
    assertThat(ads.stream().take())
        .filteredOn(request -> request.getTypeUrl().equals(CLUSTER.typeUrl()))
        .singleElement()
        .satisfies(request -> assertThat(request.getResourceNamesList()).containsExactly("c"));
  }

  @Test
  void withNothingSubscribedNoStreamIsOpenedAgain() {
    var watch = ads.watch(LISTENER, "a", new RecordingWatcher<>());
    ads.loop.inside(watch::close);
    ads.stream().closeWith(RpcStatus.OK);
    ads.loop.advance(Duration.ofHours(1));
    assertThat(ads.transport.streams()).hasSize(1);

    ads.watch(LISTENER, "b");

    assertThat(ads.transport.streams()).hasSize(2);
  }

  @Test
  void closingEndsTheStreamAndIgnoresWhatWasUnderWay() {
    var watcher = ads.watch(LISTENER, "a");
    FakeAdsTransport.Stream stream = ads.stream().ready();

    ads.loop.inside(ads.clients::close);
    stream.respond(LISTENER, "1", resource(LISTENER, "a", "v1")).closeWith(AdsFixture.REFUSED);
    ads.loop.advance(Duration.ofMinutes(5));

    assertThat(watcher.take()).isEmpty();
    assertThat(stream.isClosed()).isTrue();
    assertThat(ads.transport.isClosed()).isTrue();
    assertThat(ads.transport.streams()).hasSize(1);
    assertThat(ads.loop.pendingTimers()).isZero();
  }

  @Test
  void theStatusTellsOfTheServer() {
    ads.watch(LISTENER, "a");
    ads.stream().closeWith(AdsFixture.REFUSED);
    assertThat(ads.status().servers().get(0).connected()).isFalse();
    ads.loop.advance(Duration.ofSeconds(1));
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "v1"));
    ads.stream().respond(LISTENER, "2", invalid(LISTENER, "a", "wrong"));

    var server = ads.status().servers().get(0);

    assertThat(server.uri()).isEqualTo("cp.test:443");
    assertThat(server.attached()).isTrue();
    assertThat(server.connected()).isTrue();
    assertThat(server.streams()).isEqualTo(2);
    assertThat(server.failures()).isEqualTo(1);
    assertThat(server.nacks()).isEqualTo(1);
    assertThat(server.lastError().orElseThrow().status().message()).contains("connection refused");
    assertThat(server.updates())
        .hasSize(4)
        .containsEntry("lds", new XdsStatusView.Updates(1, 1))
        .containsEntry("cds", new XdsStatusView.Updates(0, 0));
  }

  private void failStreams(int count) {
    for (int i = 0; i < count; i++) {
      ads.stream().closeWith(AdsFixture.REFUSED);
      advanceToNextStream(ads);
    }
  }

  private static void advanceToNextStream(AdsFixture ads) {
    int before = ads.transport.streams().size();
    for (int ms = 0; ads.transport.streams().size() == before; ms++) {
      assertThat(ms).as("milliseconds until the next stream").isLessThan(150_000);
      ads.loop.advance(Duration.ofMillis(1));
    }
  }

  private Duration lastGap() {
    var streams = new ArrayList<>(ads.transport.streams());
    int last = streams.size() - 1;
    return streams.get(last).openedAt().minus(streams.get(last - 1).openedAt());
  }
}
