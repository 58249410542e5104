package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ENDPOINT;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.testing.TextResources.invalid;
import static io.outrigger.xds.testing.TextResources.resource;
import static io.outrigger.xds.testing.TextResources.unreadable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.rpc.Code;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.testing.RecordingWatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The xDS protocol on one stream: A57-26 to A57-36, A46. */
final class AdsSessionScenarioTest {
  private final AdsFixture ads = new AdsFixture();

  @Test
  @Conformance({"A57-27", "A27-03"})
  void theFirstRequestOfEachStreamSaysWhoWeAre() {
    ads.watch(LISTENER, "a");
    var first = ads.stream().take().get(0);
    ads.stream().closeWith(AdsFixture.REFUSED);
    ads.loop.advance(Duration.ofSeconds(1));

    var second = ads.stream().take().get(0);

    for (DiscoveryRequest request : List.of(first, second)) {
      var node = request.getNode();
      assertThat(node.getId()).isEqualTo("id");
      assertThat(node.getCluster()).isEqualTo("cluster");
      assertThat(node.getLocality().getRegion()).isEqualTo("r");
      assertThat(node.getLocality().getZone()).isEqualTo("z");
      assertThat(node.getLocality().getSubZone()).isEqualTo("s");
      assertThat(node.getMetadata().getFieldsOrThrow("n").getNumberValue()).isEqualTo(1);
      assertThat(
              node.getMetadata().getFieldsOrThrow("k").getListValue().getValues(0).getBoolValue())
          .isTrue();
      assertThat(node.getUserAgentName()).isEqualTo("outrigger");
      assertThat(node.getUserAgentVersion()).isEqualTo("1.2.3");
      assertThat(node.getClientFeaturesList())
          .containsExactlyInAnyOrder(
              "envoy.lb.does_not_support_overprovisioning", "xds.config.resource-in-sotw");
    }
  }

  @Test
  @Conformance("A57-28")
  void oneRequestPerSubscribedTypeAndNoneForTheOthers() {
    ads.loop.inside(
        () -> {
          watchInTurn("a");
          watchInTurn("b");
        });

    assertThat(ads.stream().take())
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.getTypeUrl()).isEqualTo(CLUSTER.typeUrl());
              assertThat(request.getResourceNamesList()).containsExactly("a", "b");
            });
  }

  @Test
  @Conformance("A57-26")
  void aNewStreamRequestsEverythingWithAcceptedVersionsAndNoNonce() {
    ads.watch(LISTENER, "a");
    ads.watch(LISTENER, "b");
    ads.watch(CLUSTER, "c");
    ads.stream()
        .ready()
        .respond(LISTENER, "7", resource(LISTENER, "a", "x"), resource(LISTENER, "b", "x"))
        .respond(LISTENER, "8", invalid(LISTENER, "a", "wrong"))
        .closeWith(RpcStatus.OK);

    ads.loop.advance(Duration.ofSeconds(1));

    List<DiscoveryRequest> requests = ads.stream().take();
    assertThat(requests).hasSize(2).allMatch(request -> request.getResponseNonce().isEmpty());
    assertThat(of(LISTENER.typeUrl(), requests).getVersionInfo()).isEqualTo("7");
    assertThat(of(LISTENER.typeUrl(), requests).getResourceNamesList()).containsExactly("a", "b");
    assertThat(of(CLUSTER.typeUrl(), requests).getVersionInfo()).isEmpty();
  }

  /** Otherwise the ACKs for a server that sends without reading would fill the memory. */
  @Test
  void aServerThatDoesNotReadLaterGetsTheAnswerToItsLatestResponse() {
    ads.watch(LISTENER, "a");
    ads.stream().ready().take();
    ads.stream().block();

    ads.stream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    ads.stream().respond(LISTENER, "2", invalid(LISTENER, "a", "wrong"));
    ads.watch(LISTENER, "b");
    assertThat(ads.stream().take()).isEmpty();
    assertThat(ads.stream().permits()).as("it is read from").isEqualTo(1);

    ads.stream().ready();
    assertThat(ads.stream().take())
        .singleElement()
        .satisfies(
            nack -> {
              assertThat(nack.getVersionInfo()).isEqualTo("1");
              assertThat(nack.getResponseNonce()).isEqualTo("n2");
              assertThat(nack.getResourceNamesList()).containsExactly("a", "b");
              assertThat(nack.getErrorDetail().getMessage()).contains("wrong");
            });
    assertThat(ads.stream().ready().take()).isEmpty();
  }

  @Test
  void aServerThatDoesNotReadLaterGetsOneRequestForAllChangesOfNames() {
    ads.watch(LISTENER, "a");
    ads.stream().ready().take();
    ads.stream().block();

    ads.watch(LISTENER, "b");
    ads.watch(LISTENER, "c");
    assertThat(ads.stream().take()).isEmpty();

    ads.stream().ready();
    assertThat(ads.stream().take())
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.getResourceNamesList()).containsExactly("a", "b", "c");
              assertThat(request.hasErrorDetail()).isFalse();
            });
  }

  @Test
  @Conformance("A57-29")
  void anAcceptedResponseIsAcknowledged() {
    ads.watch(LISTENER, "a");
    ads.stream().ready().take();

    ads.stream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));

    assertThat(ads.stream().take())
        .singleElement()
        .satisfies(
            ack -> {
              assertThat(ack.getVersionInfo()).isEqualTo("1");
              assertThat(ack.getResponseNonce()).isEqualTo("n1");
              assertThat(ack.getResourceNamesList()).containsExactly("a");
              assertThat(ack.hasErrorDetail()).isFalse();
            });
  }

  @Test
  @Conformance({"A57-29", "A46-01", "A46-02"})
  void aResponseWithInvalidResourcesIsRefusedNamingEachAndTheOthersAreUsed() {
    List<String> names = List.of("a", "b", "c", "d", "e");
    var watchers = names.stream().map(name -> ads.watch(LISTENER, name)).toList();
    ads.stream().ready().take();

    ads.stream()
        .respond(
            LISTENER,
            "1",
            resource(LISTENER, "a", "x"),
            invalid(LISTENER, "b", "f: too big", "g: missing"),
            resource(LISTENER, "c", "x"),
            invalid(LISTENER, "d", "h: negative"),
            resource(LISTENER, "e", "x"));

    assertThat(ads.stream().take())
        .singleElement()
        .satisfies(
            nack -> {
              assertThat(nack.getVersionInfo()).isEmpty();
              assertThat(nack.getResponseNonce()).isEqualTo("n1");
              assertThat(nack.getResourceNamesList()).containsExactlyElementsOf(names);
              assertThat(nack.getErrorDetail().getCode()).isEqualTo(Code.INVALID_ARGUMENT_VALUE);
              assertThat(nack.getErrorDetail().getMessage())
                  .isEqualTo("listener \"b\": f: too big; g: missing\nlistener \"d\": h: negative");
            });
    assertThat(watchers.get(0).take()).containsExactly("ok: x");
    assertThat(watchers.get(1).take())
        .containsExactly(
            "failed: INVALID_ARGUMENT: listener \"b\" is invalid: f: too big; g: missing");
    assertThat(watchers.get(4).take()).containsExactly("ok: x");
    assertThat(ads.observed).last().asString().startsWith("nack lds 1 listener \"b\"");
  }

  @Test
  @Conformance({"A57-29", "A57-41"})
  void aRefusalKeepsThePreviousVersionOnThisStreamAndTheNext() {
    ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x")).take();

    ads.stream().respond(CLUSTER, "2", invalid(CLUSTER, "c", "wrong"));
    DiscoveryRequest nack = ads.stream().take().get(0);
    ads.stream().closeWith(RpcStatus.OK);
    ads.loop.advance(Duration.ofSeconds(1));

    assertThat(nack.getVersionInfo()).isEqualTo("1");
    assertThat(nack.getResponseNonce()).isEqualTo("n2");
    assertThat(ads.stream().take().get(0).getVersionInfo()).isEqualTo("1");
  }

  @Test
  @Conformance("A46-03")
  void aResourceWithoutAReadableNameRefusesTheResponseAndTheOthersAreUsed() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().take();

    ads.stream().respond(CLUSTER, "1", unreadable(CLUSTER), resource(CLUSTER, "c", "x"));

    assertThat(watcher.take()).containsExactly("ok: x");
    assertThat(ads.stream().take().get(0).getErrorDetail().getMessage())
        .isEqualTo("resource #0: not readable");
  }

  @Test
  void aResponseThatCannotBeReadWholeDeletesNothing() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    watcher.take();

    ads.stream().respond(CLUSTER, "2", unreadable(CLUSTER));

    assertThat(watcher.take()).isEmpty();
  }

  @Test
  void aRefusalOfVeryMuchStaysOfASizeThatServersTake() {
    Any[] bad = new Any[500];
    String[] reasons = new String[100];
    Arrays.fill(reasons, "x".repeat(200));
    for (int i = 0; i < bad.length; i++) {
      ads.watch(CLUSTER, "c" + i);
      bad[i] = invalid(CLUSTER, "c" + i, reasons);
    }
    ads.stream().ready().take();

    ads.stream().respond(CLUSTER, "1", bad);

    String details = ads.stream().take().get(0).getErrorDetail().getMessage();
    assertThat(details).hasSizeLessThan(ResponseHandler.MAX_REFUSAL + 50);
    assertThat(details).startsWith("cluster \"c0\": xxx").matches("(?s).*\nand \\d{3} more");
    assertThat(ads.status().resources().get(499).error().orElseThrow().status().message())
        .hasSizeLessThan(ResponseHandler.MAX_REASON_TEXT + 50);
  }

  @Test
  @Conformance("A57-30")
  void aSubscriptionChangeCarriesNonceAndVersionAndNoError() {
    ads.watch(CLUSTER, "c");
    ads.stream()
        .ready()
        .respond(CLUSTER, "1", resource(CLUSTER, "c", "x"))
        .respond(CLUSTER, "2", invalid(CLUSTER, "c", "wrong"))
        .take();

    ads.watch(CLUSTER, "d");

    assertThat(ads.stream().take())
        .singleElement()
        .satisfies(
            change -> {
              assertThat(change.getResourceNamesList()).containsExactly("c", "d");
              assertThat(change.getVersionInfo()).isEqualTo("1");
              assertThat(change.getResponseNonce()).isEqualTo("n2");
              assertThat(change.hasErrorDetail()).isFalse();
            });
  }

  @Test
  @Conformance({"A57-31", "A30-01"})
  void aResponseOfUnknownTypeIsNeitherAcceptedNorRefused() {
    ads.watch(LISTENER, "a");
    ads.stream().ready().take();

    ads.stream()
        .respond(
            DiscoveryResponse.newBuilder().setTypeUrl("type.googleapis.com/envoy.api.v2.Listener"));

    assertThat(ads.stream().take()).isEmpty();
    assertThat(ads.stream().isClosed()).isFalse();
    assertThat(ads.stream().permits()).as("the next response is read").isEqualTo(1);
  }

  @Test
  void aTypeThatWasNeverRequestedIsNotAcknowledged() {
    ads.watch(LISTENER, "a");
    ads.stream().ready().take();

    ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));

    assertThat(ads.stream().take()).as("an ACK without names would be a wildcard").isEmpty();
    assertThat(ads.stream().permits()).as("the next response is read").isEqualTo(1);
  }

  @Test
  @Conformance("A57-32")
  void whatWasNotRequestedIsIgnoredWhetherValidOrNot() {
    var watcher = ads.watch(CLUSTER, "c");
    ads.stream().ready().take();

    ads.stream()
        .respond(
            CLUSTER,
            "1",
            resource(CLUSTER, "c", "x"),
            resource(CLUSTER, "d", "x"),
            invalid(CLUSTER, "e", "wrong"));

    assertThat(watcher.take()).containsExactly("ok: x");
    assertThat(ads.stream().take().get(0).hasErrorDetail()).isFalse();
    assertThat(ads.status().resources()).hasSize(1);
    assertThat(ads.watch(CLUSTER, "d").take()).as("not stored").isEmpty();
  }

  @Test
  @Conformance("A57-33")
  void theNextResponseIsReadOnlyBehindWhatTheWatchersPosted() {
    List<Integer> permitsDuringRecompute = new ArrayList<>();
    var watcher = new RecordingWatcher<ClusterResource>();
    watcher.then(() -> ads.loop.execute(() -> permitsDuringRecompute.add(ads.stream().permits())));
    var unused = ads.watch(CLUSTER, "c", watcher);
    ads.stream().ready();

    ads.stream()
        .respond(CLUSTER, "1", resource(CLUSTER, "c", "x"))
        .respond(CLUSTER, "2", resource(CLUSTER, "c", "y"));

    assertThat(permitsDuringRecompute).containsExactly(0, 0);
    assertThat(ads.stream().permits()).isEqualTo(1);
  }

  @Test
  @Conformance("A57-34")
  void absenceDeletesInListenersAndClustersOnly() {
    var listener = ads.watch(LISTENER, "a");
    var cluster = ads.watch(CLUSTER, "c");
    var route = ads.watch(ROUTE, "r");
    var endpoints = ads.watch(ENDPOINT, "e");
    ads.stream()
        .ready()
        .respond(LISTENER, "1", resource(LISTENER, "a", "x"))
        .respond(CLUSTER, "1", resource(CLUSTER, "c", "x"))
        .respond(ROUTE, "1", resource(ROUTE, "r", "x"))
        .respond(ENDPOINT, "1", resource(ENDPOINT, "e", "x"));
    List.of(listener, cluster, route, endpoints).forEach(RecordingWatcher::take);

    ads.stream()
        .respond(LISTENER, "2")
        .respond(CLUSTER, "2")
        .respond(ROUTE, "2")
        .respond(ENDPOINT, "2");

    assertThat(listener.take())
        .containsExactly(
            "ambient: NOT_FOUND: listener \"a\" does not exist: the control plane removed it");
    assertThat(cluster.take()).singleElement().asString().startsWith("ambient: NOT_FOUND");
    assertThat(route.take()).isEmpty();
    assertThat(endpoints.take()).isEmpty();
    assertThat(ads.observed).contains("deleted lds [a] kept", "deleted cds [c] kept");
  }

  @Test
  @Conformance("A57-35")
  void absenceCountsOnlyForWhatWasReceivedAndRequestedBefore() {
    var known = ads.watch(CLUSTER, "c");
    ads.stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    ads.stream().closeWith(RpcStatus.OK);
    ads.loop.advance(Duration.ofSeconds(1));
    ads.stream().ready();
    known.take();
    var fresh = ads.watch(CLUSTER, "d");

    ads.stream().respond(CLUSTER, "2");

    assertThat(known.take()).singleElement().asString().startsWith("ambient: NOT_FOUND");
    assertThat(fresh.take()).isEmpty();
    ads.loop.advance(Duration.ofSeconds(14));
    assertThat(fresh.take()).as("the timer was not cut short").isEmpty();
    ads.loop.advance(Duration.ofSeconds(1));
    assertThat(fresh.take()).singleElement().asString().startsWith("failed: NOT_FOUND");
  }

  @Test
  void aBugInAWatcherDoesNotEndTheReadingOfTheStream() {
    var broken =
        new ResourceWatcher<ClusterResource>() {
          @Override
          public void onChanged(Outcome<ClusterResource> resource) {
            throw new IllegalStateException("a bug of ours");
          }

          @Override
          public void onAmbientError(RpcStatus status) {}
        };
    ads.loop.inside(() -> ads.client.watch(CLUSTER, "c", broken));
    ads.stream().ready();

    assertThatThrownBy(() -> ads.stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x")))
        .hasMessage("a bug of ours");
    ads.loop.run();

    assertThat(ads.stream().permits()).isEqualTo(1);
  }

  private XdsClient.Watch watchInTurn(String name) {
    return ads.client.watch(CLUSTER, name, new RecordingWatcher<>());
  }

  private static DiscoveryRequest of(String typeUrl, List<DiscoveryRequest> requests) {
    return requests.stream()
        .filter(request -> request.getTypeUrl().equals(typeUrl))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void everyEventOfAStreamBelongsToTheControlLoop() {
    ads.watch(LISTENER, "a");
    AdsTransport.Listener listener = ads.stream().listener();

    assertThatThrownBy(listener::onReady).hasMessageContaining("not inside the control loop");
    assertThatThrownBy(() -> listener.onResponse(DiscoveryResponse.getDefaultInstance()))
        .hasMessageContaining("not inside the control loop");
    assertThatThrownBy(() -> listener.onClosed(RpcStatus.OK))
        .hasMessageContaining("not inside the control loop");
  }
}
