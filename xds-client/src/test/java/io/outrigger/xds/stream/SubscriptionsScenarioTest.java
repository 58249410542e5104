package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.testing.RecordingWatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Subscriptions that come and go, and responses in which little changed. */
final class SubscriptionsScenarioTest {
  private final AdsFixture ads = new AdsFixture();

  @Test
  @Conformance("A57-42")
  void aWatchThatIsClosedAndOpenedAgainWithinATurnCostsNoRequest() {
    var watcher = new RecordingWatcher<ClusterResource>();
    ads.loop.inside(
        () -> {
          XdsClient.Watch first = watchInTurn("c");
          first.close();
          first.close();
          var unused = ads.client.watch(CLUSTER, "c", watcher);
        });
    assertThat(ads.stream().take())
        .singleElement()
        .satisfies(request -> assertThat(request.getResourceNamesList()).containsExactly("c"));
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x")).take();
    assertThat(watcher.take()).containsExactly("ok: x");

    var kept = new RecordingWatcher<ClusterResource>();
    var watch = ads.watch(CLUSTER, "d", new RecordingWatcher<>());
    ads.stream().respond(CLUSTER, "2", resource(CLUSTER, "c", "x"), resource(CLUSTER, "d", "y"));
    ads.stream().take();
    ads.loop.inside(
        () -> {
          watch.close();
          var unused = ads.client.watch(CLUSTER, "d", kept);
        });

    assertThat(ads.stream().take()).isEmpty();
    assertThat(kept.take()).as("the server would not send it again").containsExactly("ok: y");
  }

  @Test
  @Conformance("A57-42")
  void aWatchThatIsClosedAndOpenedAgainAcrossTurnsIsRequestedAndDelivered() {
    var first = ads.watch(CLUSTER, "c", new RecordingWatcher<>());
    ads.loop.inside(first::close);
    var watcher = ads.watch(CLUSTER, "c");

    assertThat(ads.stream().take())
        .last()
        .satisfies(request -> assertThat(request.getResourceNamesList()).containsExactly("c"));
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    assertThat(watcher.take()).containsExactly("ok: x");
  }

  @Test
  void theVersionIsForgottenWithTheLastName() {
    var watch = ads.watch(CLUSTER, "c", new RecordingWatcher<>());
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x")).take();
    ads.loop.inside(watch::close);
    DiscoveryRequest emptied = ads.stream().take().get(0);
    // In answer to the names before, it must not bring the version back.
    ads.stream().respond(CLUSTER, "2", resource(CLUSTER, "c", "x")).take();

    ads.watch(CLUSTER, "c");

    assertThat(emptied.getResourceNamesList()).isEmpty();
    assertThat(emptied.getResponseNonce()).isEqualTo("n1");
    assertThat(ads.stream().take().get(0).getVersionInfo()).isEmpty();
  }

  @Test
  void oneChangedClusterOfTenThousandIsDecodedAndToldAlone() {
    int count = 10_000;
    List<RecordingWatcher<ClusterResource>> watchers = new ArrayList<>();
    ads.loop.inside(
        () -> {
          for (int i = 0; i < count; i++) {
            var watcher = new RecordingWatcher<ClusterResource>();
            watchers.add(watcher);
            var unused = ads.client.watch(CLUSTER, "c" + i, watcher);
          }
        });
    Any[] clusters =
        IntStream.range(0, count)
            .mapToObj(i -> resource(CLUSTER, "c" + i, "x"))
            .toArray(Any[]::new);
    ads.stream().ready().respond(CLUSTER, "1", clusters);
    watchers.forEach(RecordingWatcher::take);
    int decodedBefore = ads.decoder.decodedCount();

    clusters[77] = resource(CLUSTER, "c77", "y");
    ads.stream().respond(CLUSTER, "2", clusters);

    assertThat(watchers.get(77).take()).containsExactly("ok: y");
    assertThat(watchers.stream().filter(watcher -> !watcher.take().isEmpty())).isEmpty();
    assertThat(ads.decoder.decodedCount() - decodedBefore).isEqualTo(1);
    assertThat(ads.status().resources())
        .hasSize(count)
        .allMatch(resource -> resource.version().equals("2"));
  }

  @Test
  void theLastOfTwoWithTheSameNameCountsThoughTheFirstIsKnown() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    watcher.take();

    ads.stream().respond(CLUSTER, "2", resource(CLUSTER, "c", "y"), resource(CLUSTER, "c", "x"));
    assertThat(watcher.take()).isEmpty();
    ads.stream().respond(CLUSTER, "3", resource(CLUSTER, "c", "x"), resource(CLUSTER, "c", "y"));

    assertThat(watcher.take()).containsExactly("ok: y");
  }

  @Test
  void aWatcherMayCloseAndAddWatchesWhileItIsTold() {
    var closedMeanwhile = new RecordingWatcher<ClusterResource>();
    var addedMeanwhile = new RecordingWatcher<ClusterResource>();
    var watches = new ArrayList<XdsClient.Watch>();
    var first = new RecordingWatcher<ClusterResource>();
    first.then(
        () -> {
          watches.get(0).close();
          var unused = ads.client.watch(CLUSTER, "c", addedMeanwhile);
        });
    var unused = ads.watch(CLUSTER, "c", first);
    watches.add(ads.watch(CLUSTER, "c", closedMeanwhile));

    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    assertThat(first.take()).containsExactly("ok: x");
    assertThat(closedMeanwhile.take()).isEmpty();
    assertThat(addedMeanwhile.take()).containsExactly("ok: x");
  }

  private XdsClient.Watch watchInTurn(String name) {
    return ads.client.watch(CLUSTER, name, new RecordingWatcher<>());
  }
}
