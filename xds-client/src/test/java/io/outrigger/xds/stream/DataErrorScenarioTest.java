package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.testing.TextResources.invalid;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.rpc.Status;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.ResourceError;
import io.envoyproxy.envoy.service.discovery.v3.ResourceName;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.status.XdsStatusView.Resource;
import io.outrigger.xds.testing.RecordingWatcher;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A88 as a server causes it: refused versions, deletions, explicit errors. */
final class DataErrorScenarioTest {
  private final AdsFixture ads = new AdsFixture();
  private final AdsFixture failing = new AdsFixture(new ServerFeatures(false, true, false));

  @Test
  @Conformance("A88-12")
  void goodBadAndFailedResourcesOfOneResponseEachGetTheirDue() {
    var good = ads.watch(CLUSTER, "good");
    var bad = ads.watch(CLUSTER, "bad");
    var failed = ads.watch(CLUSTER, "failed");
    ads.stream().ready().take();

    ads.stream()
        .respond(
            response(CLUSTER, "1", resource(CLUSTER, "good", "x"), invalid(CLUSTER, "bad", "wrong"))
                .addResourceErrors(error("failed", Code.UNAVAILABLE, "busy")));

    assertThat(good.take()).containsExactly("ok: x");
    assertThat(bad.take()).singleElement().asString().startsWith("failed: INVALID_ARGUMENT");
    assertThat(failed.take()).containsExactly("failed: UNAVAILABLE: cluster \"failed\": busy");
    assertThat(ads.stream().take().get(0).getErrorDetail().getMessage())
        .isEqualTo("cluster \"bad\": wrong");
    assertThat(ads.observed).contains("resource error cds [failed] UNAVAILABLE: busy");
  }

  /** A broken file is such an error of all its resources. */
  @Test
  @Conformance("A88-12")
  void resourcesWithTheSameErrorAreOneEvent() {
    List.of("a", "b", "c").forEach(name -> ads.watch(CLUSTER, name));
    ads.stream().ready();

    ads.stream()
        .respond(
            response(CLUSTER, "1")
                .addResourceErrors(error("a", Code.INVALID_ARGUMENT, "error in x.yaml"))
                .addResourceErrors(error("c", Code.NOT_FOUND, "gone"))
                .addResourceErrors(error("b", Code.INVALID_ARGUMENT, "error in x.yaml")));

    assertThat(ads.observed)
        .filteredOn(event -> event.startsWith("resource error"))
        .containsExactly(
            "resource error cds [a, b] INVALID_ARGUMENT: error in x.yaml",
            "resource error cds [c] NOT_FOUND: gone");
  }

  /** The text is part of a log line, and of the answer to each call that fails. */
  @Test
  void aLongErrorIsShortened() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready();

    String text = "x".repeat(1 << 20);
    ads.stream()
        .respond(response(CLUSTER, "1").addResourceErrors(error("c", Code.NOT_FOUND, text)));

    assertThat(String.join("", watcher.take())).hasSizeBetween(8_000, 9_000);
    assertThat(String.join("", ads.observed)).hasSizeLessThan(10_000);
  }

  @Test
  @Conformance("A88-12")
  void errorsAloneAreAccepted() {
    ads.watch(CLUSTER, "c");
    ads.stream().ready().take();

    ads.stream()
        .respond(response(CLUSTER, "1").addResourceErrors(error("c", Code.NOT_FOUND, "gone")));

    assertThat(ads.stream().take().get(0).hasErrorDetail()).isFalse();
    assertThat(ads.observed).contains("ack cds 1");
  }

  @Test
  @Conformance({"A88-09", "A88-10", "A57-21"})
  void anExplicitErrorIsHonouredByDefaultAndStopsTheTimer() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready();
    ads.loop.advance(Duration.ofSeconds(2));
    ads.stream()
        .respond(response(CLUSTER, "1").addResourceErrors(error("c", Code.UNAVAILABLE, "busy")));

    ads.loop.advance(Duration.ofSeconds(60));

    assertThat(watcher.take()).containsExactly("failed: UNAVAILABLE: cluster \"c\": busy");
  }

  @Test
  @Conformance("A88-13")
  void whatIsReportedAsAnErrorIsNotDeletedInAddition() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    watcher.take();

    ads.stream()
        .respond(response(CLUSTER, "2").addResourceErrors(error("c", Code.INTERNAL, "oops")));

    assertThat(watcher.take()).containsExactly("ambient: INTERNAL: cluster \"c\": oops");
    assertThat(ads.status().resources().get(0).state()).isEqualTo("received_error");
    assertThat(ads.observed).noneMatch(event -> event.startsWith("deleted"));

    ads.stream()
        .respond(response(CLUSTER, "3").addResourceErrors(error("c", Code.INTERNAL, "oops")));
    assertThat(ads.observed)
        .as("an error that the control plane repeats is one event")
        .filteredOn(event -> event.startsWith("resource error"))
        .hasSize(1);
  }

  @Test
  @Conformance("A88-14")
  void errorsThatMeanNothingAreIgnored() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready();

    ads.stream()
        .respond(
            response(CLUSTER, "1")
                .addResourceErrors(error("c", Code.OK, ""))
                .addResourceErrors(error("stranger", Code.NOT_FOUND, "gone"))
                .addResourceErrors(ResourceError.getDefaultInstance()));

    assertThat(watcher.take()).isEmpty();
    assertThat(ads.observed).noneMatch(event -> event.startsWith("resource error"));
  }

  @Test
  @Conformance("A88-14")
  void whatIsAbsentIsDeletedThoughAnErrorThatMeansNothingNamesIt() {
    ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    ads.stream().respond(response(CLUSTER, "2").addResourceErrors(error("c", Code.OK, "")));

    assertThat(ads.observed).contains("deleted cds [c] kept");
  }

  @Test
  @Conformance("A57-34")
  void aRefusedResourceThatIsAbsentDoesNotExist() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", invalid(CLUSTER, "c", "wrong"));
    watcher.take();

    ads.stream().respond(CLUSTER, "2").respond(CLUSTER, "3");

    assertThat(watcher.take())
        .containsExactly(
            "failed: NOT_FOUND: cluster \"c\" does not exist: the control plane removed it");
    assertThat(ads.observed).noneMatch(event -> event.startsWith("deleted"));
  }

  @Test
  @Conformance("A88-26")
  void theIdenticalVersionClearsTheErrorOfARefusedOne() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream()
        .ready()
        .respond(CLUSTER, "1", resource(CLUSTER, "c", "x"))
        .respond(CLUSTER, "2", invalid(CLUSTER, "c", "wrong"));
    watcher.take();

    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    assertThat(watcher.take()).containsExactly("ambient: OK");
  }

  @Test
  @Conformance("A88-41")
  void inFailModeTheLastGoodVersionRestoresWhatARefusedOneDropped() {
    var watcher = failing.watch(CLUSTER, "c");
    failing.stream()
        .ready()
        .respond(CLUSTER, "1", resource(CLUSTER, "c", "x"))
        .respond(CLUSTER, "2", invalid(CLUSTER, "c", "wrong"));
    assertThat(watcher.take()).last().asString().startsWith("failed: INVALID_ARGUMENT");

    failing.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    assertThat(watcher.take()).containsExactly("ok: x");
  }

  @Test
  @Conformance("A88-43")
  void theVersionAnnouncedAfterADropIsTheLastAcceptedOne() {
    failing.watch(CLUSTER, "c");
    failing.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x")).take();

    failing.stream().respond(CLUSTER, "2", invalid(CLUSTER, "c", "wrong"));

    assertThat(failing.stream().take().get(0).getVersionInfo()).isEqualTo("1");
    Resource dropped = failing.status().resources().get(0);
    assertThat(dropped.raw()).isEmpty();
    assertThat(dropped.version()).isEmpty();
    assertThat(dropped.cacheStateLabel()).isEqualTo("nacked");
  }

  @Test
  void inFailModeADeletionDropsTheResource() {
    var watcher = failing.watch(LISTENER, "a");
    failing.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    watcher.take();

    failing.stream().respond(LISTENER, "2");

    assertThat(watcher.take()).singleElement().asString().startsWith("failed: NOT_FOUND");
    assertThat(failing.observed).contains("deleted lds [a] dropped");
  }

  @Test
  @Conformance("A36-22")
  void aDeletedListenerOfAServedAddressIsOutOfUse() {
    ads.watch(LISTENER, "a");
    ads.loop.inside(
        () -> ads.clients.ofServers().watch(LISTENER, "inbound", new RecordingWatcher<>()));
    ads.stream()
        .ready()
        .respond(LISTENER, "1", resource(LISTENER, "a", "x"), resource(LISTENER, "inbound", "x"))
        .respond(LISTENER, "2");

    assertThat(ads.observed).contains("deleted lds [a] kept", "deleted lds [inbound] dropped");
  }

  @Test
  @Conformance("A88-46")
  void aNewWatcherOfWhatWasDeletedGetsTheVersionInUse() {
    ads.watch(LISTENER, "a");
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    ads.stream().respond(LISTENER, "2");

    assertThat(ads.watch(LISTENER, "a").take())
        .containsExactly(
            "ok: x",
            "ambient: NOT_FOUND: listener \"a\" does not exist: the control plane removed it");
  }

  @Test
  @Conformance("A88-48")
  void anIgnoredDeletionIsToldOnceUntilTheResourceIsBack() {
    ads.watch(LISTENER, "a");
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    ads.observed.clear();

    ads.stream().respond(LISTENER, "2").respond(LISTENER, "3");
    ads.stream().respond(LISTENER, "4", resource(LISTENER, "a", "x")).respond(LISTENER, "5");

    assertThat(ads.observed)
        .filteredOn(line -> line.startsWith("deleted"))
        .containsExactly("deleted lds [a] kept", "deleted lds [a] kept");
  }

  @Test
  @Conformance("A88-49")
  void everyWatcherOfAResourceHearsOfItsError() {
    var first = ads.watch(ResourceType.ROUTE, "r");
    var second = ads.watch(ResourceType.ROUTE, "r");
    ads.stream()
        .ready()
        .respond(ResourceType.ROUTE, "1", invalid(ResourceType.ROUTE, "r", "wrong"));

    assertThat(first.take()).hasSize(1).isEqualTo(second.take());
  }

  @Test
  @Conformance({"A88-39", "A88-36", "A88-38"})
  void theStatusLabelsEachStateAndShowsWhatIsInUseBesideTheError() {
    ads.watch(CLUSTER, "requested");
    List.of("acked", "nacked-cached", "deleted-cached", "error-cached", "nacked", "error")
        .forEach(name -> ads.watch(CLUSTER, name));
    ads.stream()
        .ready()
        .respond(
            CLUSTER,
            "1",
            resource(CLUSTER, "acked", "x"),
            resource(CLUSTER, "nacked-cached", "x"),
            resource(CLUSTER, "deleted-cached", "x"),
            resource(CLUSTER, "error-cached", "x"))
        .respond(
            response(
                    CLUSTER,
                    "2",
                    resource(CLUSTER, "acked", "x"),
                    invalid(CLUSTER, "nacked-cached", "wrong"),
                    invalid(CLUSTER, "nacked", "wrong"))
                .addResourceErrors(error("error-cached", Code.INTERNAL, "oops"))
                .addResourceErrors(error("error", Code.INTERNAL, "oops")));

    assertThat(ads.status().resources())
        .extracting(resource -> resource.name() + ": " + resource.cacheStateLabel())
        .containsExactly(
            "requested: requested",
            "acked: acked",
            "nacked-cached: nacked_but_cached",
            "deleted-cached: does_not_exist_but_cached",
            "error-cached: received_error_but_cached",
            "nacked: nacked",
            "error: received_error");
    Resource nacked = ads.status().resources().get(2);
    assertThat(nacked.version()).isEqualTo("1");
    Any inUse = resource(CLUSTER, "nacked-cached", "x");
    assertThat(nacked.raw())
        .contains(new RawResource(inUse.getTypeUrl(), inUse.getValue().toByteArray()));
    assertThat(nacked.error().orElseThrow().version()).isEqualTo("2");
    assertThat(nacked.error().orElseThrow().refused()).isPresent();
    assertThat(nacked.error().orElseThrow().status().message()).contains("wrong");
    ads.loop.advance(Duration.ofSeconds(15));
    assertThat(ads.status().resources().get(0).cacheStateLabel()).isEqualTo("does_not_exist");
  }

  @Test
  @Conformance({"A88-36", "A88-39"})
  void theStatusTellsATimeoutFromWhatDoesNotExist() {
    var patient = new AdsFixture(new ServerFeatures(false, false, true));
    patient.watch(CLUSTER, "c");
    patient.stream().ready();

    patient.loop.advance(Duration.ofSeconds(30));

    Resource shown = patient.status().resources().get(0);
    assertThat(shown.cacheStateLabel()).isEqualTo("timeout");
    assertThat(shown.raw()).isEmpty();
    assertThat(shown.error()).isPresent();
  }

  private static DiscoveryResponse.Builder response(
      ResourceType<?> type, String version, Any... resources) {
    return DiscoveryResponse.newBuilder()
        .setTypeUrl(type.typeUrl())
        .setVersionInfo(version)
        .addAllResources(List.of(resources));
  }

  private static ResourceError error(String name, Code code, String message) {
    return ResourceError.newBuilder()
        .setResourceName(ResourceName.newBuilder().setName(name))
        .setErrorDetail(Status.newBuilder().setCode(code.number()).setMessage(message))
        .build();
  }
}
