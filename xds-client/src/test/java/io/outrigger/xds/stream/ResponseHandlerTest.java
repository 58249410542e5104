package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.testing.RecordingWatcher;
import io.outrigger.xds.testing.TextResources;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a response means for resources, apart from the stream on which it came. */
final class ResponseHandlerTest {
  private static final XdsServer SERVER = FleetFixture.server("cp.test:443", ServerFeatures.NONE);

  private final FakeControlLoop loop = new FakeControlLoop();
  private final Subscriptions subscriptions =
      new Subscriptions(loop, new HistoryBudget(), () -> {});
  private final ResponseHandler handler = handler();

  @Test
  @Conformance("A57-36")
  void absenceOfWhatIsKnownCountsOnlyIfTheStreamHadAskedForIt() {
    var asked = watch("c");
    var notYet = watch("d");
    respond(Set.of("c", "d"), resource(CLUSTER, "c", "x"), resource(CLUSTER, "d", "y"));
    asked.take();
    notYet.take();

    respond(Set.of("c"));
    assertThat(asked.take()).singleElement().asString().startsWith("ambient: NOT_FOUND");
    assertThat(notYet.take()).isEmpty();

    respond(Set.of("c", "d"));
    assertThat(notYet.take()).singleElement().asString().startsWith("ambient: NOT_FOUND");
  }

  private ResponseHandler handler() {
    var all = new ServerSubscriptions();
    all.add(subscriptions);
    var decoder =
        new IncrementalDecoder(
            new TextResources(), new DecodeContext(ServerFeatures.NONE, Map.of()));
    return new ResponseHandler(
        loop, Runnable::run, SERVER, SERVER.uri(), all, decoder, AdsObserver.all());
  }

  private RecordingWatcher<ClusterResource> watch(String name) {
    var watcher = new RecordingWatcher<ClusterResource>();
    loop.inside(
        () -> {
          var unused = subscriptions.watch(CLUSTER, name, watcher);
        });
    return watcher;
  }

  private void respond(Set<String> requested, Any... clusters) {
    DiscoveryResponse response =
        DiscoveryResponse.newBuilder().addAllResources(List.of(clusters)).build();
    loop.inside(
        () ->
            handler.read(
                CLUSTER,
                response,
                decoded -> handler.apply(CLUSTER, response, decoded, requested)));
  }
}
