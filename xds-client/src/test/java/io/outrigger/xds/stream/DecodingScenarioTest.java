package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ENDPOINT;
import static io.outrigger.xds.testing.TextResources.invalid;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.RecordingWatcher;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A response takes its time to be decoded, and the control loop goes on meanwhile. */
final class DecodingScenarioTest {
  private final AdsFixture ads = new AdsFixture();

  @BeforeEach
  void hold() {
    ads.holdDecoding();
  }

  @Test
  @Conformance("A57-33")
  void nothingIsToldAcknowledgedOrReadUntilTheResponseIsDecoded() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().take();

    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    assertThat(watcher.take()).isEmpty();
    assertThat(ads.stream().take()).isEmpty();
    assertThat(ads.stream().permits()).isZero();
    ads.decode();
    assertThat(watcher.take()).containsExactly("ok: x");
    assertThat(ads.stream().take())
        .extracting(DiscoveryRequest::getVersionInfo)
        .containsExactly("1");
    assertThat(ads.stream().permits()).isEqualTo(1);
  }

  @Test
  @Conformance("A57-30")
  void aSubscriptionThatChangesMeanwhileGoesOutWithTheAnswer() {
    ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x")).take();

    ads.watch(CLUSTER, "d");

    assertThat(ads.stream().take()).as("it would look like a refusal").isEmpty();
    ads.decode();
    assertThat(ads.stream().take())
        .extracting(DiscoveryRequest::getVersionInfo, r -> List.copyOf(r.getResourceNamesList()))
        .containsExactly(tuple("1", List.of("c", "d")));
  }

  /** The server reads again while its next response is decoded. */
  @Test
  @Conformance("A57-29")
  void anOwedAnswerIsNotSentWithTheNonceOfTheResponseThatIsBeingDecoded() {
    ads.watch(CLUSTER, "c");
    ads.stream().ready().take();
    ads.stream().block();
    ads.stream().respond(CLUSTER, "1", invalid(CLUSTER, "c", "wrong"));
    ads.decode();
    ads.stream().respond(CLUSTER, "2", resource(CLUSTER, "c", "x"));

    ads.stream().ready();
    assertThat(ads.stream().take()).isEmpty();
    ads.decode();

    assertThat(ads.stream().take())
        .extracting(DiscoveryRequest::getResponseNonce, DiscoveryRequest::hasErrorDetail)
        .containsExactly(tuple("n2", false));
  }

  @Test
  @Conformance("A57-21")
  void aTimerThatRunsOutMeanwhileWaitsForWhatTheResponseHolds() {
    var there = ads.watch(CLUSTER, "there");
    var missing = ads.watch(CLUSTER, "missing");
    ads.stream().ready();
    ads.loop.advance(Duration.ofSeconds(14));
    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "there", "x"));

    ads.loop.advance(Duration.ofSeconds(2));
    assertThat(missing.take()).isEmpty();
    ads.decode();
    ads.loop.advance(Duration.ofSeconds(1));

    assertThat(there.take()).containsExactly("ok: x");
    assertThat(missing.take()).singleElement().asString().startsWith("failed: NOT_FOUND");
  }

  @Test
  @Conformance({"A57-14", "A57-21"})
  void aTimerOfAnotherTypeThatRunsOutMeanwhileWaitsForWhatCouldNotBeReadYet() {
    var endpoints = ads.watch(ENDPOINT, "e");
    ads.stream().ready();
    ads.loop.advance(Duration.ofSeconds(5));
    ads.watch(CLUSTER, "c");
    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    ads.loop.advance(Duration.ofSeconds(20));
    assertThat(endpoints.take()).as("an answer may wait behind the clusters").isEmpty();
    ads.decode();
    ads.stream().respond(ENDPOINT, "1", resource(ENDPOINT, "e", "y"));
    ads.loop.advance(Duration.ofSeconds(20));
    ads.decode();

    assertThat(endpoints.take()).containsExactly("ok: y");
    assertThat(ads.loop.pendingTimers()).isZero();
  }

  @Test
  @Conformance("A57-23")
  void aTimerThatRanOutMeanwhileGoesWithTheLastWatcher() {
    var gone = new RecordingWatcher<EndpointSet>();
    var watch = ads.watch(ENDPOINT, "e", gone);
    ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    ads.loop.advance(Duration.ofSeconds(20));

    ads.loop.inside(watch::close);
    ads.decode();
    ads.loop.advance(Duration.ofMinutes(1));

    assertThat(gone.take()).isEmpty();
    assertThat(ads.loop.pendingTimers()).isZero();
  }

  @Test
  void aBugInAWatcherDoesNotHoldTheTimers() {
    var broken = new RecordingWatcher<ClusterResource>();
    broken.then(
        () -> {
          throw new IllegalStateException("a bug of ours");
        });
    var unused = ads.watch(CLUSTER, "broken", broken);
    var missing = ads.watch(CLUSTER, "missing");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "broken", "x"));
    assertThatThrownBy(ads::decode).hasMessage("a bug of ours");

    ads.loop.advance(Duration.ofSeconds(15));

    assertThat(missing.take()).singleElement().asString().startsWith("failed: NOT_FOUND");
  }

  @ParameterizedTest(name = "of {0}")
  @ValueSource(strings = {"there", "there and missing"})
  void aBugInAWatcherDoesNotHideTheEndOfTheStream(String broken) {
    for (String name : List.of("there", "missing")) {
      var watcher = new RecordingWatcher<ClusterResource>();
      if (broken.contains(name)) {
        watcher.then(
            () -> {
              throw new IllegalStateException("a bug of ours");
            });
      }
      var unused = ads.watch(CLUSTER, name, watcher);
    }
    ads.stream().ready();
    ads.loop.advance(Duration.ofSeconds(14));
    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "there", "x"));
    ads.loop.advance(Duration.ofSeconds(2)); // the timer of "missing" elapses
    ads.stream().closeWith(RpcStatus.OK);

    assertThatThrownBy(ads::decode).hasMessage("a bug of ours");
    ads.loop.advance(Duration.ofSeconds(1));

    assertThat(ads.transport.streams()).hasSize(2);
  }

  @Test
  void aStreamThatEndsMeanwhileHasDeliveredAllTheSame() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    ads.stream().closeWith(RpcStatus.OK);
    ads.decode();
    ads.loop.advance(Duration.ofSeconds(1));

    assertThat(watcher.take()).containsExactly("ok: x");
    assertThat(ads.transport.streams()).hasSize(2);
    assertThat(ads.stream().take())
        .extracting(DiscoveryRequest::getVersionInfo)
        .containsExactly("1");
  }

  @Test
  void aClientThatIsClosedMeanwhileTellsNobody() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    ads.loop.inside(ads.clients::close);
    ads.decode();

    assertThat(watcher.take()).isEmpty();
  }

  @Test
  void aWatcherThatLeftMeanwhileHearsNothing() {
    var watcher = new RecordingWatcher<ClusterResource>();
    var watch = ads.watch(CLUSTER, "c", watcher);
    ads.watch(CLUSTER, "d");
    ads.stream()
        .ready()
        .respond(CLUSTER, "1", resource(CLUSTER, "c", "x"), resource(CLUSTER, "d", "y"));

    ads.loop.inside(watch::close);
    ads.decode();

    assertThat(watcher.take()).isEmpty();
    assertThat(ads.status().resources())
        .extracting("name", "state")
        .containsExactly(tuple("d", "acked"));
  }

  @Test
  @Conformance({"A57-23", "A57-42"})
  void aNameThatIsLeftAndWatchedAgainMeanwhileIsRequestedAnewAndDelivered() {
    ads.watch(ENDPOINT, "stays");
    var watch = ads.watch(ENDPOINT, "e", new RecordingWatcher<EndpointSet>());
    ads.stream()
        .ready()
        .respond(ENDPOINT, "1", resource(ENDPOINT, "stays", "x"), resource(ENDPOINT, "e", "y"));
    ads.decode();
    ads.stream().respond(ENDPOINT, "2", resource(ENDPOINT, "stays", "z")).take();

    ads.loop.inside(watch::close);
    var again = ads.watch(ENDPOINT, "e");
    ads.decode();

    assertThat(ads.stream().take())
        .as("a server sends again only what it was not asked for meanwhile")
        .extracting(
            DiscoveryRequest::getVersionInfo,
            DiscoveryRequest::getResponseNonce,
            request -> List.copyOf(request.getResourceNamesList()))
        .containsExactly(
            tuple("2", "n2", List.of("stays")), tuple("2", "n2", List.of("stays", "e")));
    ads.stream().respond(ENDPOINT, "2", resource(ENDPOINT, "e", "y"));
    ads.decode();
    assertThat(again.take()).containsExactly("ok: y");
    assertThat(ads.stream().take()).as("it was requested anew once").hasSize(1);
  }

  @Test
  @Conformance({"A57-12", "A57-42"})
  void aNameThatIsLeftAndWatchedAgainMeanwhileIsTimed() {
    ads.watch(CLUSTER, "stays");
    var watch = ads.watch(CLUSTER, "c", new RecordingWatcher<ClusterResource>());
    ads.stream().ready().respond(CLUSTER, "1", invalid(CLUSTER, "stays", "bad")).take();

    ads.loop.inside(watch::close);
    var again = ads.watch(CLUSTER, "c");
    ads.decode();

    assertThat(ads.stream().take())
        .as("one refusal")
        .extracting(
            request -> request.getErrorDetail().getCode(),
            request -> List.copyOf(request.getResourceNamesList()))
        .containsExactly(tuple(3, List.of("stays")), tuple(0, List.of("stays", "c")));
    ads.loop.advance(Duration.ofMillis(14_999));
    assertThat(again.take()).isEmpty();
    ads.loop.advance(Duration.ofMillis(1));
    assertThat(again.take()).singleElement().asString().startsWith("failed: NOT_FOUND");
  }

  @Test
  @Conformance("A57-42")
  void theOnlyNameThatIsLeftAndWatchedAgainMeanwhileIsRequestedAnew() {
    var watch = ads.watch(CLUSTER, "c", new RecordingWatcher<ClusterResource>());
    ads.stream().ready().respond(CLUSTER, "1").take();

    ads.loop.inside(watch::close);
    ads.watch(CLUSTER, "c");
    ads.decode();

    assertThat(ads.stream().take())
        .extracting(request -> List.copyOf(request.getResourceNamesList()))
        .containsExactly(List.of(), List.of("c"));
  }

  @Test
  void aBugInADecoderIsCountedAndRefusesTheResponse() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().take();
    ads.decoder.failNext(new IllegalStateException("a bug of ours"));

    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    assertThatThrownBy(ads::decode).hasRootCauseMessage("a bug of ours");
    ads.loop.run();
    assertThat(ads.stream().take())
        .singleElement()
        .satisfies(
            nack -> assertThat(nack.getErrorDetail().getMessage()).contains("a bug of ours"));
    ads.stream().respond(CLUSTER, "2", resource(CLUSTER, "c", "y"));
    ads.decode();
    assertThat(watcher.take()).containsExactly("ok: y");
  }

  /** A small response may stand for many resources; it must not end the process. */
  @Test
  void aResponseForWhichTheMemoryIsTooShortIsRefused() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().take();
    ads.decoder.failNext(new IllegalStateException(new OutOfMemoryError("Java heap space")));

    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    ads.decode();

    assertThat(ads.stream().take())
        .singleElement()
        .satisfies(
            nack ->
                assertThat(nack.getErrorDetail().getMessage())
                    .endsWith(
                        "the response cannot be decoded: there is too little memory; raise the"
                            + " memory limit of the container"));
    ads.stream().respond(CLUSTER, "2", resource(CLUSTER, "c", "y"));
    ads.decode();
    assertThat(watcher.take()).containsExactly("ok: y");
  }

  @Test
  @Conformance("A57-14")
  void aTimerThatWaitedForAResponseRunsOnceThoughAnotherResponseFollows() {
    var endpoints = ads.watch(ENDPOINT, "e");
    ads.stream().ready();
    ads.loop.advance(Duration.ofSeconds(5));
    ads.watch(CLUSTER, "c");
    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    ads.loop.advance(Duration.ofSeconds(20));
    ads.decode();

    ads.stream().respond(CLUSTER, "2", resource(CLUSTER, "c", "y"));
    ads.decode();
    assertThat(ads.loop.pendingTimers()).isEqualTo(1);
    ads.loop.advance(Duration.ofMinutes(1));

    assertThat(endpoints.take()).singleElement().asString().startsWith("failed: NOT_FOUND");
  }
}
