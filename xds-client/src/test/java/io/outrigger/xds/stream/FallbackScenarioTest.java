package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.stream.FleetFixture.REFUSED;
import static io.outrigger.xds.stream.FleetFixture.server;
import static io.outrigger.xds.stream.FleetFixture.servers;
import static io.outrigger.xds.testing.TextResources.invalid;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.rpc.Status;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.ResourceError;
import io.envoyproxy.envoy.service.discovery.v3.ResourceName;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.testing.FakeAdsTransport;
import io.outrigger.xds.testing.RecordingWatcher;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A71 "Change XdsClient to support fallback within each xDS authority", A95. */
final class FallbackScenarioTest {
  private static final String FIRST = "first.test:1";
  private static final String SECOND = "second.test:1";
  private static final String THIRD = "third.test:1";
  private static final String FIRST_FAILED =
      "xDS server first.test:1 cannot be reached: connection refused";
  private static final String SECOND_FAILED =
      "xDS server second.test:1 cannot be reached: connection refused";

  private final FleetFixture fleet = new FleetFixture(FIRST, SECOND);

  @Test
  @Conformance("A71-01")
  void theSecondServerIsAskedOnlyWhenTheFirstIsDownAndSomethingIsMissing() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.loop.advance(Duration.ofMinutes(1));
    assertThat(fleet.at(SECOND).streams()).as("silent is not down").isEmpty();

    fleet.fail(FIRST);

    assertThat(fleet.asked(SECOND, LISTENER)).containsExactly("a");
    assertThat(listener.take()).as("the second is tried first").isEmpty();
  }

  @Test
  @Conformance("A71-01")
  void whatIsKnownNotToExistIsNotMissing() {
    fleet.watch(LISTENER, "a");
    fleet.at(FIRST).stream().ready();
    fleet.loop.advance(Duration.ofSeconds(15)); // declared missing

    fleet.fail(FIRST);

    assertThat(fleet.at(SECOND).streams()).isEmpty();
  }

  @ParameterizedTest(name = "{0}: asked {1}")
  @CsvSource({"5, false", "7, true", "14, true"})
  @Conformance("A71-01")
  void whatTheServerCallsNotFoundIsNotMissingAndOtherErrorsAre(int code, boolean asked) {
    fleet.watch(LISTENER, "a");
    fleet.at(FIRST).stream().ready().respond(failure("1", Code.ofNumber(code), "no"));
    fleet.at(FIRST).stream().closeWith(REFUSED);
    fleet.loop.advance(Duration.ofSeconds(2));

    fleet.fail(FIRST);

    assertThat(!fleet.at(SECOND).streams().isEmpty()).isEqualTo(asked);
  }

  @Test
  @Conformance("A71-02")
  void withEverythingCachedTheSecondSeesNoConnectionHoweverLongTheFirstIsDown() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    fleet.at(FIRST).stream().closeWith(REFUSED);
    listener.take();

    for (int attempt = 0; attempt < 5; attempt++) {
      fleet.loop.advance(Duration.ofMinutes(3));
      fleet.fail(FIRST);
    }

    assertThat(fleet.at(SECOND).streams()).isEmpty();
    assertThat(listener.take())
        .as("and is noted")
        .containsExactly("ambient: UNAVAILABLE: " + FIRST_FAILED);
  }

  @Test
  @Conformance("A71-03")
  void fallingBackAsksForEverythingAndReplacesWhatWasCachedAsItComes() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "old"));
    var cluster = fleet.watch(CLUSTER, "c");
    fleet.at(FIRST).stream().closeWith(REFUSED);
    fleet.loop.advance(Duration.ofSeconds(2));
    listener.take();

    fleet.fail(FIRST);

    assertThat(fleet.at(SECOND).stream().take())
        .extracting(request -> request.getTypeUrl() + request.getResourceNamesList())
        .containsExactly(LISTENER.typeUrl() + "[a]", CLUSTER.typeUrl() + "[c]");
    fleet.at(SECOND).stream().ready().respond(LISTENER, "9", resource(LISTENER, "a", "new"));
    fleet.at(SECOND).stream().respond(CLUSTER, "9", resource(CLUSTER, "c", "x"));
    assertThat(listener.take()).containsExactly("ok: new");
    assertThat(cluster.take()).containsExactly("ok: x");
  }

  @Test
  @Conformance("A71-04")
  void theFirstServersResponseEndsTheFallbackAndItsDataWins() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.fail(FIRST);
    fleet.at(SECOND).stream().ready().respond(LISTENER, "9", resource(LISTENER, "a", "spare"));
    fleet.loop.advance(Duration.ofSeconds(2)); // the first is tried again meanwhile
    assertThat(fleet.at(FIRST).openStreams()).hasSize(1);
    assertThat(fleet.at(SECOND).openStreams()).hasSize(1);

    fleet.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "own"));

    assertThat(fleet.at(SECOND).openStreams()).isEmpty();
    assertThat(listener.take()).containsExactly("ok: spare", "ok: own");
    fleet.loop.advance(Duration.ofHours(1));
    assertThat(fleet.at(SECOND).streams()).as("not tried any more").hasSize(1);
  }

  @Test
  @Conformance("A71-04")
  void aServerThatComesBackIsToldOfNoVersion() {
    fleet.watch(LISTENER, "a");
    fleet.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "own"));
    fleet.watch(CLUSTER, "c");
    fleet.at(FIRST).stream().closeWith(REFUSED);
    fleet.loop.advance(Duration.ofSeconds(2));
    fleet.fail(FIRST);
    fleet.at(SECOND).stream().ready().respond(LISTENER, "9", resource(LISTENER, "a", "spare"));

    fleet.loop.advance(Duration.ofSeconds(3));

    assertThat(fleet.at(FIRST).stream().take())
        .as("it would leave out what it believes we have")
        .isNotEmpty()
        .allMatch(request -> request.getVersionInfo().isEmpty());
  }

  @Test
  @Conformance("A71-04")
  void aRequestThatWaitsForTheFirstServerIsMadeAnewWithoutVersions() {
    fleet.watch(LISTENER, "a");
    fleet.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "own"));
    fleet.at(FIRST).stream().closeWith(REFUSED);
    fleet.loop.advance(Duration.ofSeconds(2));
    fleet.fail(FIRST); // nothing is missing
    fleet.loop.advance(Duration.ofSeconds(3));
    FakeAdsTransport.Stream queued = fleet.at(FIRST).stream();

    fleet.watch(CLUSTER, "c"); // missing now
    fleet.at(SECOND).stream().ready().respond(LISTENER, "9", resource(LISTENER, "a", "spare"));

    assertThat(queued.isClosed()).isTrue();
    assertThat(fleet.at(FIRST).openStreams()).hasSize(1);
    assertThat(fleet.at(FIRST).stream().ready().take())
        .as("it would leave out what it believes we have")
        .extracting(request -> request.getVersionInfo() + request.getResourceNamesList())
        .containsExactly("[a]", "[c]");
  }

  @Test
  @Conformance("A71-04")
  void aServerThatIsLeftHasNoTimersAndNoVersions() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.watch(CLUSTER, "c");
    fleet.fail(FIRST);
    fleet.at(SECOND).stream().ready().respond(LISTENER, "9", resource(LISTENER, "a", "spare"));
    fleet.loop.advance(Duration.ofSeconds(2)); // the timer of the cluster runs at the second
    assertThat(fleet.loop.pendingTimers()).isEqualTo(1);

    fleet.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "own"));

    assertThat(fleet.at(SECOND).openStreams()).isEmpty();
    assertThat(fleet.loop.pendingTimers()).as("the cluster's at the first").isEqualTo(1);
    fleet.at(FIRST).stream().respond(CLUSTER, "1", resource(CLUSTER, "c", "x"));
    assertThat(fleet.loop.pendingTimers()).isZero();

    fleet.at(FIRST).stream().closeWith(REFUSED);
    fleet.loop.advance(Duration.ofSeconds(2));
    fleet.watch(CLUSTER, "d");
    fleet.fail(FIRST);
    assertThat(fleet.at(SECOND).stream().take())
        .as("what it sent before was replaced by the first's")
        .isNotEmpty()
        .allMatch(request -> request.getVersionInfo().isEmpty());
    assertThat(listener.take()).containsExactly("ok: spare", "ok: own");
  }

  @Test
  @Conformance({"A71-04", "A71-05"})
  void aServerThatIsLeftWhileItCannotBeReachedIsTriedWhenItIsNeededAgain() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.fail(FIRST);
    fleet.fail(SECOND);
    fleet.loop.advance(Duration.ofSeconds(2));
    fleet.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "own"));
    assertThat(listener.take()).hasSize(2).last().isEqualTo("ok: own");
    fleet.at(FIRST).stream().closeWith(REFUSED);
    fleet.loop.advance(Duration.ofSeconds(2));
    var cluster = fleet.watch(CLUSTER, "c");

    fleet.fail(FIRST);

    assertThat(fleet.asked(SECOND, CLUSTER)).containsExactly("c");
    assertThat(cluster.take()).as("the second is tried first").isEmpty();
    assertThat(listener.take()).isEmpty();
  }

  @Test
  @Conformance("A71-04")
  void anAuthorityThatLeavesASharedServerTakesItsTimersAlong() {
    String shared = "xdstp://b/envoy.config.cluster.v3.Cluster/b";
    var both =
        new FleetFixture(
            servers(FIRST, SECOND), Map.of("b", FleetFixture.authority(servers(SECOND))));
    both.watch(LISTENER, "l");
    both.watch(CLUSTER, "a");
    both.watch(CLUSTER, shared);
    both.fail(FIRST); // the old names are asked from the second too
    both.at(SECOND).stream().ready();
    assertThat(both.asked(SECOND, CLUSTER)).containsExactlyInAnyOrder("a", shared);
    both.loop.advance(Duration.ofSeconds(2));

    both.at(FIRST).stream().respond(LISTENER, "1", resource(LISTENER, "l", "x"));

    assertThat(both.asked(SECOND, CLUSTER)).containsExactly(shared);
    assertThat(both.loop.pendingTimers()).as("of the shared one").isEqualTo(1);
  }

  /** It is asked for the old names, too, while it is being read. */
  @Test
  @Conformance("A57-36")
  void aResponseLacksNothingThatItsServerWasAskedForAfterIt() {
    String shared = "xdstp://b/envoy.config.cluster.v3.Cluster/b";
    var both =
        new FleetFixture(
            servers(FIRST, SECOND), Map.of("b", FleetFixture.authority(servers(SECOND))));
    var old = both.watch(CLUSTER, "a");
    both.at(FIRST).stream().ready().respond(CLUSTER, "1", resource(CLUSTER, "a", "x"));
    var other = both.watch(CLUSTER, shared);
    both.holdDecoding();
    both.at(SECOND).stream().ready().respond(CLUSTER, "9", resource(CLUSTER, shared, "y"));
    both.watch(LISTENER, "l");
    both.at(FIRST).stream().closeWith(REFUSED);
    both.loop.advance(Duration.ofSeconds(2));
    both.fail(FIRST);

    both.decode();

    assertThat(both.asked(SECOND, CLUSTER)).containsExactlyInAnyOrder("a", shared);
    assertThat(other.take()).containsExactly("ok: y");
    assertThat(old.take()).as("not removed").containsExactly("ok: x");
    both.at(SECOND).stream().respond(CLUSTER, "10", resource(CLUSTER, shared, "y"));
    both.decode();
    assertThat(old.take()).singleElement().asString().startsWith("ambient: NOT_FOUND");
  }

  @Test
  @Conformance("A71-05")
  void watchersHearOfTroubleOnlyWhenEveryServerFailed() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.fail(FIRST);
    assertThat(listener.take()).isEmpty();

    fleet.fail(SECOND);

    assertThat(listener.take())
        .containsExactly("failed: UNAVAILABLE: " + FIRST_FAILED + "; " + SECOND_FAILED);
    fleet.loop.advance(Duration.ofSeconds(2));
    fleet.at(SECOND).stream().ready().respond(LISTENER, "9", resource(LISTENER, "a", "spare"));
    assertThat(listener.take()).containsExactly("ok: spare");
  }

  @Test
  @Conformance("A71-05")
  void theFirstServersFurtherFailuresAreNobodysConcernWhileTheSecondWorks() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.fail(FIRST);
    fleet.at(SECOND).stream().ready().respond(LISTENER, "9", resource(LISTENER, "a", "spare"));
    listener.take();

    fleet.loop.advance(Duration.ofSeconds(2));
    fleet.fail(FIRST);

    assertThat(listener.take()).isEmpty();
  }

  @Test
  @Conformance({"A57-25", "A71-06"})
  void timersOfAConnectedServerCauseNoFallback() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.at(FIRST).stream().ready();

    fleet.loop.advance(Duration.ofMinutes(5));

    assertThat(listener.take()).hasSize(1).first().asString().startsWith("failed: NOT_FOUND");
    assertThat(fleet.at(SECOND).streams()).isEmpty();
    assertThat(fleet.at(FIRST).streams()).as("no reconnect either").hasSize(1);
    assertThat(fleet.at(FIRST).openStreams()).hasSize(1);
  }

  @Test
  @Conformance({"A57-19", "A71-06"})
  void whatOneServerDidNotSendInTimeIsMissingOnceThoughAnotherIsAskedToo() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.fail(FIRST);
    fleet.at(SECOND).stream().ready();
    fleet.loop.advance(Duration.ofSeconds(2)); // the first is tried again meanwhile
    fleet.at(FIRST).stream().ready();

    fleet.loop.advance(Duration.ofSeconds(13));
    assertThat(listener.take()).singleElement().asString().startsWith("failed: NOT_FOUND");
    fleet.loop.advance(Duration.ofMinutes(1));

    assertThat(listener.take()).as("it is known already").isEmpty();
    fleet.at(FIRST).stream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    assertThat(listener.take()).containsExactly("ok: x");
  }

  /** The first server's own time runs on: it has not sent the resource yet. */
  @ParameterizedTest
  @EnumSource(names = {"INVALID_ARGUMENT", "NOT_FOUND"})
  @Conformance({"A57-35", "A57-12"})
  void anErrorOfTheSecondServerDoesNotEndTheTimeOfTheFirst(Code code) {
    var listener = fleet.watch(LISTENER, "a");
    fleet.watch(LISTENER, "b");
    fleet.fail(FIRST);
    fleet.at(SECOND).stream().ready();
    fleet.loop.advance(Duration.ofSeconds(2)); // the first is tried again meanwhile
    fleet.at(FIRST).stream().ready();
    fleet.at(SECOND).stream().respond(failure("9", code, "bad"));
    assertThat(listener.take()).singleElement().asString().contains(code + ": ", "bad");

    fleet.at(FIRST).stream().respond(LISTENER, "1", resource(LISTENER, "b", "x"));
    assertThat(listener.take()).as("absent, but never sent by the first").isEmpty();
    fleet.loop.advance(Duration.ofMillis(14_999));
    assertThat(listener.take()).isEmpty();
    fleet.loop.advance(Duration.ofMillis(1));

    assertThat(listener.take())
        .singleElement()
        .asString()
        .endsWith("does not exist: the control plane did not send it within 15s");
  }

  @Test
  @Conformance({"A57-21", "A57-34"})
  void anErrorOfTheSecondServerEndsItsOwnTime() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.fail(FIRST);
    fleet.at(SECOND).stream().ready().respond(failure("9", Code.INVALID_ARGUMENT, "bad"));
    fleet.loop.advance(Duration.ofSeconds(2)); // the first is tried again meanwhile
    fleet.at(FIRST).stream().ready();
    listener.take();

    fleet.at(SECOND).stream().respond(LISTENER, "10");

    assertThat(listener.take())
        .singleElement()
        .asString()
        .endsWith("does not exist: the control plane removed it");
  }

  @Test
  @Conformance("A71-07")
  void aTargetThatFallsBackDoesNotTakeAnotherAlong() {
    var orders = fleet.watch("xds:///orders", LISTENER, "orders");
    fleet.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "orders", "x"));
    var pay = fleet.watch("xds:///pay", LISTENER, "pay");

    fleet.fail(FIRST); // the newer stream, that of pay

    assertThat(fleet.asked(SECOND, LISTENER)).as("orders is cached").containsExactly("pay");
    assertThat(fleet.at(FIRST).openStreams()).hasSize(1);
    fleet.at(SECOND).stream().ready().respond(LISTENER, "9", resource(LISTENER, "pay", "y"));
    assertThat(pay.take()).containsExactly("ok: y");
    assertThat(orders.take()).containsExactly("ok: x");
    assertThat(fleet.status().clients())
        .extracting(XdsStatusView.Client::scope, client -> client.authorities().get(0).inUse())
        .containsExactly(tuple("xds:///orders", 1), tuple("xds:///pay", 2));
  }

  /** The bootstrap may name a server twice, with other features. */
  @Test
  void theUseOfServersThatShareAUriIsTheirOwn() {
    var strict = new ServerFeatures(false, true, true);
    var twins =
        new FleetFixture(
            List.of(
                FleetFixture.server(FIRST, ServerFeatures.NONE),
                FleetFixture.server(SECOND, ServerFeatures.NONE),
                FleetFixture.server(FIRST, strict)),
            Map.of());
    twins.watch(LISTENER, "a");

    assertThat(twins.status().servers())
        .extracting(XdsStatusView.Server::inUse)
        .containsExactly(true, false, false);
    twins.transports.get(FleetFixture.server(FIRST, ServerFeatures.NONE)).stream()
        .closeWith(REFUSED);
    twins.fail(SECOND);

    assertThat(twins.status().servers())
        .extracting(XdsStatusView.Server::inUse)
        .containsExactly(true, true, true);
  }

  @Test
  @Conformance("A71-08")
  void aNewNeedDuringAnOutageStartsTheFallback() {
    fleet.watch(LISTENER, "a");
    fleet.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    fleet.at(FIRST).stream().closeWith(REFUSED);
    fleet.loop.advance(Duration.ofSeconds(2));
    fleet.fail(FIRST);
    assertThat(fleet.at(SECOND).streams()).isEmpty();

    var cluster = fleet.watch(CLUSTER, "c");

    assertThat(fleet.asked(SECOND, CLUSTER)).containsExactly("c");
    assertThat(cluster.take()).as("it waits for the second").isEmpty();
  }

  @Test
  void eachFailureLeadsOneServerFurtherAndTheReturnOfAnyEndsThoseAfterIt() {
    var three = new FleetFixture(FIRST, SECOND, THIRD);
    var listener = three.watch(LISTENER, "a");
    three.fail(FIRST);
    three.fail(SECOND);
    three.at(THIRD).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "third"));
    three.loop.advance(Duration.ofSeconds(2));

    three.at(SECOND).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "second"));

    assertThat(listener.take()).containsExactly("ok: third", "ok: second");
    assertThat(three.at(FIRST).openStreams()).as("still hoped for").hasSize(1);
    assertThat(three.at(SECOND).openStreams()).hasSize(1);
    assertThat(three.at(THIRD).openStreams()).isEmpty();
  }

  @Test
  void aServerThatIsNeededAgainIsAskedAfreshAtOnce() {
    var listener = fleet.watch(LISTENER, "a");
    fleet.fail(FIRST);
    fleet.fail(SECOND);
    fleet.loop.advance(Duration.ofSeconds(2));
    fleet.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "own"));
    int streams = fleet.at(SECOND).streams().size();
    listener.take();

    fleet.at(FIRST).stream().closeWith(REFUSED);
    fleet.loop.advance(Duration.ofSeconds(2));
    fleet.watch(CLUSTER, "c");
    fleet.fail(FIRST);

    assertThat(fleet.at(SECOND).streams()).hasSize(streams + 1);
    assertThat(listener.take()).as("its earlier failure is not held against it").isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"INVALID_ARGUMENT", "NOT_FOUND"})
  @Conformance("A88-18")
  void theServerThatSentAnErrorDecidesByItsFeatures(Code code) {
    var strict = new ServerFeatures(false, true, false);
    var mixed =
        new FleetFixture(
            List.of(server(FIRST, ServerFeatures.NONE), server(SECOND, strict)), Map.of());
    var listener = mixed.watch(LISTENER, "a");
    mixed.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    mixed.at(FIRST).stream().respond(failure("2", code, "bad"));
    assertThat(listener.take())
        .as("kept by the first")
        .hasSize(2)
        .last()
        .asString()
        .startsWith("ambient");
    mixed.watch(CLUSTER, "c");
    mixed.at(FIRST).stream().closeWith(REFUSED);
    mixed.loop.advance(Duration.ofSeconds(2));
    mixed.fail(FIRST);

    mixed.at(SECOND).stream().ready().respond(failure("9", code, "worse"));

    assertThat(listener.take()).last().asString().startsWith("failed: " + code).contains("worse");
  }

  /** A response that refuses the listener "a", or has one that the client refuses. */
  private static DiscoveryResponse.Builder failure(String version, Code code, String message) {
    var response =
        DiscoveryResponse.newBuilder().setTypeUrl(LISTENER.typeUrl()).setVersionInfo(version);
    return code == Code.INVALID_ARGUMENT
        ? response.addResources(invalid(LISTENER, "a", message))
        : response.addResourceErrors(
            ResourceError.newBuilder()
                .setResourceName(ResourceName.newBuilder().setName("a"))
                .setErrorDetail(Status.newBuilder().setCode(code.number()).setMessage(message)));
  }

  @Test
  @Conformance("A88-18")
  void aDeletionThatOneServerIgnoresIsOneForAnotherThatFailsOnDataErrors() {
    var strict = new ServerFeatures(false, true, false);
    var mixed =
        new FleetFixture(
            List.of(server(FIRST, ServerFeatures.NONE), server(SECOND, strict)), Map.of());
    var listener = mixed.watch(LISTENER, "a");
    mixed.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    mixed.at(FIRST).stream().respond(LISTENER, "2");
    assertThat(listener.take())
        .as("ignored under the first")
        .hasSize(2)
        .last()
        .asString()
        .startsWith("ambient: NOT_FOUND");
    mixed.watch(CLUSTER, "c");
    mixed.at(FIRST).stream().closeWith(REFUSED);
    mixed.loop.advance(Duration.ofSeconds(2));
    mixed.fail(FIRST);

    mixed.at(SECOND).stream().ready().respond(LISTENER, "9");

    assertThat(listener.take()).last().asString().startsWith("failed: NOT_FOUND");
    assertThat(mixed.status().resources().get(0).raw()).isEmpty();
    assertThat(mixed.observed).contains("deleted second.test:1 [a] dropped");
  }

  @Test
  @Conformance("A95-01")
  void anAuthorityMayFallBackOnReachabilityAlone() {
    var endpoints = new Bootstrap.Authority(servers(FIRST, SECOND), Optional.empty(), true);
    var eager = new FleetFixture(servers(FIRST), Map.of("eds", endpoints));
    String name = "xdstp://eds/envoy.config.listener.v3.Listener/a";
    eager.watch(LISTENER, name);
    eager.at(FIRST).stream().ready().respond(LISTENER, "1", resource(LISTENER, name, "x"));
    eager.at(FIRST).stream().closeWith(REFUSED);
    eager.loop.advance(Duration.ofSeconds(2));

    eager.fail(FIRST);

    assertThat(eager.asked(SECOND, LISTENER)).containsExactly(name);
  }

  @Test
  void aTargetThatIsLetGoEndsItsStreamsAndIsForgotten() {
    XdsClient.Watch watch =
        fleet.watch("xds:///orders", LISTENER, "orders", new RecordingWatcher<>());
    fleet.watch("xds:///pay", LISTENER, "pay");

    fleet.loop.inside(watch::close);

    assertThat(fleet.at(FIRST).openStreams()).hasSize(1);
    assertThat(fleet.status().clients())
        .extracting(XdsStatusView.Client::scope)
        .containsExactly("xds:///pay");
  }

  @Test
  void aTargetStaysWhileAnythingOfItIsWatched() {
    fleet.watch(LISTENER, "a");
    XdsClient.Watch watch =
        fleet.watch(FleetFixture.TARGET, LISTENER, "b", new RecordingWatcher<>());

    fleet.loop.inside(watch::close);

    assertThat(fleet.status().clients()).hasSize(1);
    assertThat(fleet.at(FIRST).openStreams()).hasSize(1);
  }

  @Test
  @Conformance("A71-04")
  void anAuthorityOfWhichNothingIsWatchedLeavesItsFallbackAndKeepsItUntilThen() {
    var both =
        new FleetFixture(
            servers(FIRST), Map.of("b", FleetFixture.authority(servers(FIRST, SECOND))));
    String prefix = "xdstp://b/envoy.config.cluster.v3.Cluster/";
    both.watch(LISTENER, "l");
    XdsClient.Watch one =
        both.watch(FleetFixture.TARGET, CLUSTER, prefix + "1", new RecordingWatcher<>());
    both.fail(FIRST);
    both.at(SECOND).stream().ready();

    XdsClient.Watch two =
        both.watch(FleetFixture.TARGET, CLUSTER, prefix + "2", new RecordingWatcher<>());
    assertThat(both.at(SECOND).streams()).hasSize(1);
    assertThat(both.asked(SECOND, CLUSTER)).containsExactly(prefix + "1", prefix + "2");
    both.loop.inside(
        () -> {
          one.close();
          two.close();
        });

    assertThat(both.at(SECOND).openStreams()).isEmpty();
    assertThat(both.status().servers())
        .extracting(XdsStatusView.Server::inUse, XdsStatusView.Server::connected)
        .containsExactly(tuple(true, false), tuple(false, false));
  }

  @Test
  void aClosedFleetTriesNothingMore() {
    fleet.watch(LISTENER, "a");
    fleet.fail(FIRST);

    fleet.loop.inside(fleet.clients::close);
    fleet.loop.advance(Duration.ofHours(1));

    assertThat(fleet.at(FIRST).openStreams()).isEmpty();
    assertThat(fleet.at(SECOND).openStreams()).isEmpty();
    assertThat(fleet.at(FIRST).streams()).hasSize(1);
  }
}
