package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ENDPOINT;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.testing.TextResources.invalid;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.RecordingWatcher;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A57 "Handling Resources That Do Not Exist", A88 "Changes to Resource Timer Behavior". */
final class ResourceTimersScenarioTest {
  private static final String MISSING =
      "failed: NOT_FOUND: cluster \"c\" does not exist: the control plane did not send it within"
          + " 15s";

  private final AdsFixture ads = new AdsFixture();

  @Test
  @Conformance("A57-12")
  void theTimerRunsFromTheMomentTheStreamIsAttached() {
    var watcher = ads.watch(CLUSTER, "c");
    seconds(60);
    assertThat(watcher.take()).as("requested but not attached").isEmpty();

    ads.stream().ready();
    ads.loop.advance(Duration.ofMillis(14_999));
    assertThat(watcher.take()).isEmpty();
    ads.loop.advance(Duration.ofMillis(1));

    assertThat(watcher.take()).containsExactly(MISSING);
    assertThat(ads.status().resources().get(0).state()).isEqualTo("does_not_exist");
  }

  @Test
  @Conformance("A57-13")
  void fortySecondsOfConnectingDeclareNothingMissing() {
    var watcher = ads.watch(CLUSTER, "c");
    seconds(40);

    ads.stream().ready();
    seconds(1);
    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    seconds(60);

    assertThat(watcher.take()).containsExactly("ok: x");
  }

  @Test
  @Conformance("A57-22")
  void aRequestThatWaitsForTheTransportStartsNoTimer() {
    ads.watch(LISTENER, "a");
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    ads.stream().block();
    var watcher = ads.watch(CLUSTER, "c");
    seconds(40);
    assertThat(watcher.take()).as("not written yet").isEmpty();

    ads.stream().ready();
    seconds(14);
    assertThat(watcher.take()).isEmpty();
    seconds(1);

    assertThat(watcher.take()).containsExactly(MISSING);
  }

  @Test
  @Conformance("A57-12")
  void reportsOfReadinessLaterDoNotRestartTheTimer() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready();
    seconds(10);

    ads.stream().ready();
    seconds(5);

    assertThat(watcher.take()).containsExactly(MISSING);
  }

  @Test
  @Conformance("A57-14")
  void aTypeThatIsNeverAnsweredIsMissingAfterFifteenSeconds() {
    ads.watch(LISTENER, "a");
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    seconds(3);
    var cluster = ads.watch(CLUSTER, "c");

    seconds(14);
    assertThat(cluster.take()).isEmpty();
    seconds(1);

    assertThat(cluster.take()).containsExactly(MISSING);
  }

  @Test
  @Conformance("A57-15")
  void everyTypeIsTimed() {
    var listener = ads.watch(LISTENER, "a");
    var route = ads.watch(ROUTE, "r");
    var endpoints = ads.watch(ENDPOINT, "e");
    ads.stream().ready();

    seconds(15);

    assertThat(listener.take())
        .singleElement()
        .asString()
        .contains("listener \"a\" does not exist");
    assertThat(route.take()).singleElement().asString().contains("\"r\" does not exist");
    assertThat(endpoints.take()).singleElement().asString().contains("\"e\" does not exist");
  }

  @Test
  @Conformance("A57-16")
  void anAddedResourceHasItsOwnTimerAndDisturbsNoOther() {
    var first = ads.watch(CLUSTER, "c");
    ads.stream().ready();
    seconds(10);
    var second = ads.watch(CLUSTER, "d");

    seconds(5);
    assertThat(first.take()).containsExactly(MISSING);
    assertThat(second.take()).isEmpty();
    seconds(10);

    assertThat(second.take()).singleElement().asString().contains("\"d\" does not exist");
    assertThat(first.take()).isEmpty();
  }

  @Test
  @Conformance("A57-17")
  void aBrokenStreamStopsTheTimersAndTheNextStartsThemFromZero() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.watch(LISTENER, "a");
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    seconds(10);
    ads.stream().closeWith(RpcStatus.OK);
    seconds(60);
    assertThat(watcher.take()).isEmpty();
    ads.stream().ready();

    seconds(14);
    assertThat(watcher.take()).isEmpty();
    seconds(1);

    assertThat(watcher.take()).containsExactly(MISSING);
  }

  @Test
  @Conformance("A57-18")
  void aMuteServerAfterAReconnectLeavesCachedResourcesAlone() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    ads.stream().closeWith(RpcStatus.OK);
    seconds(1);
    ads.stream().ready();
    watcher.take();

    seconds(60);

    assertThat(watcher.take()).isEmpty();
    assertThat(ads.transport.streams()).as("no reconnect either").hasSize(2);
    assertThat(ads.stream().isClosed()).isFalse();
  }

  @Test
  @Conformance("A57-19")
  void aMissingResourceIsNotTimedAgainButLiveOnceItComes() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.watch(LISTENER, "a");
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    seconds(15);
    assertThat(watcher.take()).containsExactly(MISSING);
    ads.stream().closeWith(RpcStatus.OK);
    seconds(1);
    ads.stream().ready();
    assertThat(ads.loop.pendingTimers()).as("it would say the same again").isZero();

    seconds(60);
    assertThat(watcher.take()).isEmpty();
    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    assertThat(watcher.take()).containsExactly("ok: x");
  }

  @Test
  @Conformance({"A57-19", "A88-16"})
  void aTransientTimeoutIsNotTimedAgainEither() {
    var patient = new AdsFixture(new ServerFeatures(false, false, true));
    patient.watch(CLUSTER, "c");
    patient.stream().ready();
    patient.loop.advance(Duration.ofSeconds(30));
    assertThat(patient.status().resources().get(0).state()).isEqualTo("timeout");
    patient.stream().closeWith(RpcStatus.OK);
    patient.loop.advance(Duration.ofSeconds(1));

    patient.stream().ready();

    assertThat(patient.loop.pendingTimers()).isZero();
  }

  @Test
  @Conformance("A57-20")
  void aResourceThatComesAfterItsTimerIsLive() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready();
    seconds(16);

    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    assertThat(watcher.take()).containsExactly(MISSING, "ok: x");
    assertThat(ads.status().resources().get(0).error()).isEmpty();
  }

  @Test
  @Conformance("A57-21")
  void aRefusedVersionStopsTheTimerForGood() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", invalid(CLUSTER, "c", "wrong"));
    assertThat(watcher.take())
        .containsExactly("failed: INVALID_ARGUMENT: cluster \"c\" is invalid: wrong");

    seconds(5);
    ads.watch(CLUSTER, "d");
    seconds(60);

    assertThat(watcher.take()).isEmpty();
  }

  @Test
  @Conformance("A57-21")
  void receivingTheResourceStopsItsTimer() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    seconds(60);

    assertThat(watcher.take()).containsExactly("ok: x");
  }

  @Test
  @Conformance("A57-23")
  void theLastWatcherTakesTheTimerAlongAndALaterOneStartsAfresh() {
    var gone = new RecordingWatcher<ClusterResource>();
    var watch = ads.watch(CLUSTER, "c", gone);
    ads.stream().ready();
    seconds(10);
    ads.loop.inside(watch::close);
    assertThat(ads.loop.pendingTimers()).isZero();

    var later = ads.watch(CLUSTER, "c");
    seconds(14);
    assertThat(later.take()).isEmpty();
    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    assertThat(later.take()).containsExactly("ok: x");
    assertThat(gone.take()).isEmpty();
  }

  @Test
  @Conformance("A57-24")
  void aSecondWatcherOfAMissingResourceIsToldAtOnce() {
    ads.watch(CLUSTER, "c");
    ads.stream().ready();
    seconds(15);

    var second = ads.watch(CLUSTER, "c");

    assertThat(second.take()).containsExactly(MISSING);
  }

  @Test
  @Conformance("A88-16")
  void aServerThatReportsMissingResourcesHasThirtySeconds() {
    var lax = new AdsFixture(new ServerFeatures(false, false, true));
    var watcher = lax.watch(CLUSTER, "c");
    lax.stream().ready();

    lax.loop.advance(Duration.ofSeconds(29));
    assertThat(watcher.take()).isEmpty();
    lax.loop.advance(Duration.ofSeconds(1));

    assertThat(watcher.take())
        .singleElement()
        .asString()
        .startsWith("failed: UNAVAILABLE: cluster \"c\"");
    assertThat(lax.status().resources().get(0).state()).isEqualTo("timeout");
  }

  @Test
  @Conformance("A88-42")
  void aDroppedResourceIsTimedOnTheNextStream() {
    var failing = new AdsFixture(new ServerFeatures(false, true, false));
    var watcher = failing.watch(CLUSTER, "c");
    failing.stream()
        .ready()
        .respond(CLUSTER, "1", resource(CLUSTER, "c", "x"))
        .respond(CLUSTER, "2", invalid(CLUSTER, "c", "wrong"));
    failing.stream().closeWith(RpcStatus.OK);
    failing.loop.advance(Duration.ofSeconds(1));
    failing.stream().ready();
    watcher.take();

    failing.stream().respond(CLUSTER, "3");
    assertThat(watcher.take()).noneMatch(each -> each.contains("NOT_FOUND")); // still in time
    failing.loop.advance(Duration.ofSeconds(15));

    assertThat(watcher.take()).containsExactly(MISSING);
  }

  private void seconds(long seconds) {
    ads.loop.advance(Duration.ofSeconds(seconds));
  }
}
