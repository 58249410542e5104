package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.RecordingWatcher;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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

    assertThat(there.take()).containsExactly("ok: x");
    assertThat(missing.take()).singleElement().asString().startsWith("failed: NOT_FOUND");
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
}
