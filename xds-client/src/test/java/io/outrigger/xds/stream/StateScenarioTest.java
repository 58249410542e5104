package io.outrigger.xds.stream;

import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.state.StateFolder;
import io.outrigger.xds.state.StateOrigin;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.testing.RecordingWatcher;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two processes after each other, with one folder of kept resources, on a clock of the test. */
final class StateScenarioTest {
  private static final ResourceType<?> LISTENER = ResourceType.LISTENER;
  private static final Duration AFTER = Duration.ofSeconds(5);
  private static final Duration MAX_AGE = Duration.ofHours(24);

  @TempDir Path folder;
  private AdsFixture ads = new AdsFixture();
  private RecordingWatcher<?> listener = new RecordingWatcher<>();
  private RecordingWatcher<?> cluster = new RecordingWatcher<>();

  @BeforeEach
  void keepsWhatIsAcknowledged() {
    restart(ServerFeatures.NONE);
    watch();
    ads.stream().ready().respond(LISTENER, "7", resource(LISTENER, "a", "routes"));
    ads.stream().respond(ResourceType.CLUSTER, "8", resource(ResourceType.CLUSTER, "c", "eds"));
    ads.loop.advance(Duration.ofSeconds(1));
  }

  @AfterEach
  void end() {
    ads.loop.inside(ads.clients::close);
    assertThat(ads.loop.pendingTimers()).as("timers of a client that is closed").isZero();
  }

  @Test
  @Conformance("ST-01")
  void keptResourcesAreUsedWhenNoControlPlaneAnswers() {
    restart(ServerFeatures.NONE);
    watch();

    ads.loop.advance(AFTER.minusMillis(1));
    assertThat(listener.take()).isEmpty();
    ads.loop.advance(Duration.ofMillis(1));

    assertThat(listener.take()).containsExactly("ok: routes");
    assertThat(cluster.take()).containsExactly("ok: eds");
    assertThat(states()).containsExactly(Map.entry("a", "stale"), Map.entry("c", "stale"));
    assertThat(version("a")).isEqualTo("7");
    assertThat(ads.observed).filteredOn(line -> line.startsWith("stale STALE: ")).hasSize(1);
    assertThat(stale()).startsWith("STALE: 2 resources of ");
  }

  @Test
  void aResourceThatIsWatchedLaterIsRestoredAtOnce() {
    restart(ServerFeatures.NONE);
    listener = ads.watch(LISTENER, "a");
    ads.loop.advance(AFTER);

    cluster = ads.watch(ResourceType.CLUSTER, "c");
    ads.loop.run();

    assertThat(cluster.take()).containsExactly("ok: eds");
  }

  /** Otherwise calls would fail between the kept listener and the kept cluster. */
  @Test
  @Conformance("ST-01")
  void theOutageIsToldOfAResourceOnlyAfterItsKeptVersion() {
    restart(ServerFeatures.NONE);
    listener = ads.watch(LISTENER, "a");
    ads.stream().closeWith(AdsFixture.REFUSED);
    ads.loop.advance(AFTER);

    cluster = ads.watch(ResourceType.CLUSTER, "c");
    var unknown = ads.watch(ResourceType.CLUSTER, "d");
    ads.loop.run();

    assertThat(cluster.take()).first().isEqualTo("ok: eds");
    assertThat(unknown.take()).first().asString().contains("connection refused");
  }

  @Test
  void anAnswerInTimeLeavesKeptResourcesUnused() {
    restart(ServerFeatures.NONE);
    watch();
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "new"));

    ads.loop.advance(AFTER.multipliedBy(2));

    assertThat(listener.take()).containsExactly("ok: new");
    assertThat(cluster.take()).isEmpty();
    assertThat(stale()).isEmpty();
  }

  @Test
  @Conformance("ST-02")
  void theControlPlaneReplacesStaleResourcesAndDropsWhatItHasNot() {
    restart(ServerFeatures.NONE);
    watch();
    ads.loop.advance(AFTER);
    listener.take();
    cluster.take();

    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "new"));
    assertThat(listener.take()).containsExactly("ok: new");
    assertThat(cluster.take()).isEmpty();
    ads.stream().respond(ResourceType.CLUSTER, "1");
    assertThat(cluster.take()).isEmpty(); // a replacement may still be requested
    ads.loop.advance(Duration.ofMillis(100));

    assertThat(cluster.take()).singleElement().asString().startsWith("failed: NOT_FOUND");
    assertThat(ads.observed).contains("stale no stale resource is in use any more");
    assertThat(stale()).isEmpty();
    ads.loop.advance(ResourceTimers.TIMEOUT);
    assertThat(cluster.take()).as("told once").isEmpty();
  }

  /** Its last version stays in use (A88), but no later process may use it. */
  @Test
  @Conformance("ST-02")
  void whatTheControlPlaneNoLongerHasIsNotKept() {
    listener.take();
    ads.stream().respond(LISTENER, "9");
    ads.loop.advance(Duration.ofSeconds(2));
    assertThat(states()).containsKey("a");

    restart(ServerFeatures.NONE);
    watch();
    ads.loop.advance(AFTER);

    assertThat(listener.take()).isEmpty();
    assertThat(cluster.take()).containsExactly("ok: eds");
  }

  @Test
  @Conformance("ST-02")
  void anAnswerWhileKeptResourcesAreDecodedLeavesThemUnused() {
    var before = new FleetFixture("first:1");
    keepIn(folder.resolve("held"), before);
    before.watch(LISTENER, "a");
    before.watch(ResourceType.CLUSTER, "c");
    before.at("first:1").stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    before.at("first:1").stream()
        .respond(ResourceType.CLUSTER, "1", resource(ResourceType.CLUSTER, "c", "eds"));
    before.loop.advance(Duration.ofSeconds(1));
    before.loop.inside(before.clients::close);

    var fleet = new FleetFixture("first:1");
    keepIn(folder.resolve("held"), fleet);
    fleet.watch(LISTENER, "a");
    var kept = fleet.watch(ResourceType.CLUSTER, "c");
    fleet.holdDecoding();
    fleet.loop.advance(AFTER);
    fleet.at("first:1").stream().ready().respond(LISTENER, "2", resource(LISTENER, "a", "y"));
    fleet.decode();

    assertThat(kept.take()).isEmpty();
  }

  @Test
  @Conformance("ST-02")
  void whatAnAnsweringControlPlaneNeverSendsIsGoneAfterItsTimer() {
    restart(ServerFeatures.NONE);
    watch();
    ads.loop.advance(AFTER);
    cluster.take();

    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "new"));
    ads.loop.advance(ResourceTimers.TIMEOUT);

    assertThat(cluster.take()).singleElement().asString().startsWith("failed: NOT_FOUND");
  }

  @Test
  @Conformance("ST-02")
  void aClusterThatIsGoneStaysInUseUntilItsReplacementIsThere() {
    restart(ServerFeatures.NONE);
    watch();
    ads.loop.advance(AFTER);
    cluster.take();
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "new"));
    ads.watch(ResourceType.CLUSTER, "d");

    ads.stream().respond(ResourceType.CLUSTER, "1");
    ads.loop.advance(Duration.ofSeconds(5));
    assertThat(cluster.take()).isEmpty();
    ads.stream().respond(ResourceType.CLUSTER, "2", resource(ResourceType.CLUSTER, "d", "eds"));
    ads.loop.advance(Duration.ofMillis(100));

    assertThat(cluster.take()).singleElement().asString().startsWith("failed: NOT_FOUND");
  }

  @Test
  void aSilentControlPlaneTakesNothingOutOfUse() {
    restart(ServerFeatures.NONE);
    watch();
    ads.stream().ready();

    ads.loop.advance(AFTER.plus(ResourceTimers.TIMEOUT.multipliedBy(3)));

    assertThat(cluster.take()).containsExactly("ok: eds");
    assertThat(states()).containsEntry("c", "stale");
  }

  @Test
  void aRequestAfterTheOutageClaimsNoVersion() {
    restart(ServerFeatures.NONE);
    watch();
    ads.loop.advance(AFTER);

    assertThat(ads.stream().take()).allMatch(request -> request.getVersionInfo().isEmpty());
  }

  @Test
  void nothingIsWrittenWhileAnAnswerIsDue() throws IOException {
    restart(ServerFeatures.NONE);
    watch();
    Map<String, String> before = files();
    ads.stream().ready().respond(LISTENER, "9", resource(LISTENER, "a", "other"));

    ads.loop.advance(Duration.ofSeconds(5));
    assertThat(files()).isEqualTo(before);
    ads.stream().respond(ResourceType.CLUSTER, "9", resource(ResourceType.CLUSTER, "c", "other"));
    ads.loop.advance(Duration.ofSeconds(1));

    assertThat(files()).isNotEqualTo(before);
  }

  /** As by a forward to all hosts whose calls name ever new ones. */
  @Test
  @Conformance("ST-07")
  void newListenersThatAreDueDelayNoChangeOfOthers() throws IOException {
    Map<String, String> before = files();
    ads.watch(LISTENER, "unknown-host");

    ads.stream()
        .respond(
            ResourceType.CLUSTER, "9", resource(ResourceType.CLUSTER, "c", "content of version 9"));
    ads.watch(LISTENER, "another-unknown-host");
    ads.loop.advance(Duration.ofSeconds(1));

    assertThat(files()).isNotEqualTo(before);
    assertThat(files().toString()).contains("content of version 9");
  }

  /** A folder must not lose what a kept listener refers to before the listener is answered. */
  @Test
  @Conformance("ST-03")
  void aKeptListenerThatIsDueDelaysChanges() throws IOException {
    restart(ServerFeatures.NONE);
    watch();
    Map<String, String> before = files();
    ads.stream()
        .ready()
        .respond(ResourceType.CLUSTER, "9", resource(ResourceType.CLUSTER, "c", "new"));

    ads.loop.advance(Duration.ofSeconds(5));

    assertThat(files()).isEqualTo(before);
  }

  /** With a fallback server each target has a client of its own (A71). */
  @Test
  @Conformance("ST-04")
  void aTargetUsesNothingKeptWhenAControlPlaneHasAnsweredAnother() {
    FleetFixture fleet = fleetOfTwo();
    fleet
        .at("first:1")
        .streams()
        .get(0)
        .ready()
        .respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    fleet
        .at("first:1")
        .streams()
        .get(1)
        .ready()
        .respond(LISTENER, "1", resource(LISTENER, "b", "y"));
    fleet.loop.advance(Duration.ofSeconds(1));
    fleet.loop.inside(fleet.clients::close);

    FleetFixture silent = fleetOfTwo();
    var restored = silent.watch("xds:///b", ResourceType.LISTENER, "b");
    silent.loop.advance(AFTER);
    assertThat(restored.take()).containsExactly("ok: y");
    silent.fail("first:1"); // a stale resource counts as missing, so the next server is used
    var reached = silent.at("second:1").stream().ready();
    reached.respond(LISTENER, "1", resource(LISTENER, "b", "other"));
    assertThat(restored.take()).containsExactly("ok: other");
    silent.loop.inside(silent.clients::close);

    FleetFixture next = fleetOfTwo();
    var second = next.watch("xds:///b", ResourceType.LISTENER, "b");
    next.at("first:1")
        .streams()
        .get(0)
        .ready()
        .respond(LISTENER, "2", resource(LISTENER, "a", "z"));
    next.loop.advance(AFTER.multipliedBy(2));
    assertThat(second.take()).isEmpty();
  }

  /** A process with a fallback server, whose targets a and b watch their listeners. */
  private FleetFixture fleetOfTwo() {
    var fleet = new FleetFixture("first:1", "second:1");
    keepIn(folder.resolve("fleet"), fleet);
    fleet.watch("xds:///a", ResourceType.LISTENER, "a");
    fleet.watch("xds:///b", ResourceType.LISTENER, "b");
    return fleet;
  }

  @Test
  @Conformance("ST-07")
  void changesAreMergedToOneWriteASecond() throws IOException {
    Set<Map<String, String>> written = new LinkedHashSet<>();
    for (int version = 0; version < 100; version++) {
      ads.stream().respond(LISTENER, "m" + version, resource(LISTENER, "a", "m" + version));
      ads.loop.advance(Duration.ofMillis(40));
      written.add(files());
    }

    assertThat(written).as("in four seconds").hasSizeBetween(4, 5);
  }

  @Test
  @Conformance("ST-07")
  void theControlLoopWaitsForNoFile() throws IOException {
    Queue<Runnable> waiting = new ArrayDeque<>();
    restartIn(folder, new AdsFixture(), MAX_AGE, waiting::add);
    watch();
    Map<String, String> before = files();
    waiting.remove().run();
    ads.stream().ready().respond(LISTENER, "9", resource(LISTENER, "a", "other"));
    ads.stream().respond(ResourceType.CLUSTER, "9", resource(ResourceType.CLUSTER, "c", "other"));
    ads.loop.advance(Duration.ofSeconds(5));

    assertThat(listener.take()).containsExactly("ok: other");
    assertThat(files()).isEqualTo(before);
    waiting.remove().run();
    assertThat(files()).isNotEqualTo(before);
  }

  @Test
  @Conformance("ST-04")
  void resourcesThatAreTooOldOrAbsentAreNotUsedAndTold() {
    restartIn(folder, new AdsFixture(), MAX_AGE);
    ads.loop.advance(MAX_AGE);
    restartIn(folder, ads, Duration.ofSeconds(1));
    watch();
    ads.loop.advance(AFTER);

    assertThat(listener.take()).isEmpty();
    assertThat(ads.observed)
        .filteredOn(line -> line.startsWith("state problem"))
        .singleElement()
        .asString()
        .contains("s old, and --state-max-age is 1 s");

    restart(ServerFeatures.NONE);
    ads.watch(LISTENER, "another");
    ads.loop.advance(AFTER);
    assertThat(ads.observed)
        .filteredOn(line -> line.endsWith("has no listener \"another\""))
        .hasSize(1);
  }

  @Test
  void reachableControlPlanesKeepTheStateYoung() {
    ads.loop.advance(MAX_AGE.multipliedBy(3)); // nothing changes, and the stream is up

    StateFolder.Reading found = folder().read(ads.loop.now());

    assertThat(found.problem()).isEmpty();
    assertThat(found.resources()).hasSize(2);
  }

  /** The control plane of one authority is away for longer than the maximum age. */
  @Test
  @Conformance("ST-04")
  void theResourcesOfAnAuthorityAreAsOldAsItsOutageAndThoseOfOthersStayYoung() {
    String other = "xdstp://other/envoy.config.listener.v3.Listener/b";
    FleetFixture fleet = fleetOfTwoAuthorities(Duration.ZERO);
    fleet.watch(ResourceType.LISTENER, "a");
    fleet.watch(ResourceType.LISTENER, other);
    fleet.at("first:1").stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    fleet.at("second:1").stream().ready().respond(LISTENER, "1", resource(LISTENER, other, "y"));
    fleet.loop.advance(Duration.ofSeconds(1));
    fleet.fail("second:1");
    fleet.fail("second:1");
    fleet.loop.advance(MAX_AGE.multipliedBy(2));
    fleet.at("first:1").stream().respond(LISTENER, "2", resource(LISTENER, "a", "z"));
    fleet.loop.advance(Duration.ofSeconds(1));
    fleet.loop.inside(fleet.clients::close);

    FleetFixture next = fleetOfTwoAuthorities(MAX_AGE.multipliedBy(2));
    var young = next.watch(ResourceType.LISTENER, "a");
    var old = next.watch(ResourceType.LISTENER, other);
    next.loop.advance(AFTER);

    assertThat(young.take()).containsExactly("ok: z");
    assertThat(old.take()).isEmpty();
    assertThat(next.observed)
        .singleElement()
        .asString()
        .contains("listener \"" + other + "\" of the state in", "s old, and --state-max-age is");
  }

  /**
   * @param later the time since the start of the first such process
   */
  private FleetFixture fleetOfTwoAuthorities(Duration later) {
    var fleet =
        new FleetFixture(
            FleetFixture.servers("first:1"),
            Map.of("other", FleetFixture.authority(FleetFixture.servers("second:1"))));
    fleet.loop.stepWallClock(later);
    keepIn(folder.resolve("authorities"), fleet);
    return fleet;
  }

  private static void keepIn(Path folder, FleetFixture fleet) {
    var origin = StateOrigin.of(AdsFixture.bootstrap(ServerFeatures.NONE));
    var state = new StateFolder(folder, origin, MAX_AGE);
    fleet.loop.inside(() -> fleet.clients.keepState(state, Runnable::run, AFTER));
  }

  @Test
  @Conformance("ST-06")
  void resourcesOfServedAddressesAreNeitherKeptNorRestored() throws IOException {
    var served = new RecordingWatcher<ListenerResource>();
    ads.loop.inside(() -> ads.clients.ofServers().watch(ResourceType.LISTENER, "inbound", served));
    ads.loop.run();
    ads.stream()
        .respond(
            LISTENER, "9", resource(LISTENER, "a", "kept"), resource(LISTENER, "inbound", "x"));
    ads.loop.advance(Duration.ofSeconds(2));
    assertThat(served.take()).containsExactly("ok: x");
    assertThat(files().toString()).contains("kept").doesNotContain("inbound");

    restart(ServerFeatures.NONE);
    ads.loop.inside(() -> ads.clients.ofServers().watch(ResourceType.LISTENER, "inbound", served));
    ads.loop.inside(
        () -> ads.clients.ofServers().watch(ResourceType.CLUSTER, "c", unchecked(served)));
    watch();
    ads.loop.advance(AFTER);
    assertThat(listener.take()).containsExactly("ok: kept");
    assertThat(served.take()).isEmpty();
  }

  @Test
  @Conformance("ST-06")
  void aServedAddressSeesAStaleResourceOnlyWhenTheControlPlaneHasConfirmedIt() {
    restart(ServerFeatures.NONE);
    watch();
    ads.loop.advance(AFTER);
    var served = new RecordingWatcher<ClusterResource>();
    ads.loop.inside(() -> ads.clients.ofServers().watch(ResourceType.CLUSTER, "c", served));
    assertThat(served.take()).isEmpty();

    ads.stream()
        .ready()
        .respond(ResourceType.CLUSTER, "1", resource(ResourceType.CLUSTER, "c", "eds"));

    assertThat(served.take()).containsExactly("ok: eds");
  }

  @SuppressWarnings("unchecked")
  private static <T> RecordingWatcher<T> unchecked(RecordingWatcher<?> watcher) {
    return (RecordingWatcher<T>) watcher;
  }

  @Test
  void aFolderThatCannotBeWrittenIsToldAtTheStartAndOnce() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "no folder");
    restartIn(file.resolve("x"), new AdsFixture(), MAX_AGE);
    ads.loop.run();
    assertThat(ads.observed).filteredOn(line -> line.startsWith("state problem")).hasSize(1);

    watch();
    ads.stream().ready().respond(LISTENER, "7", resource(LISTENER, "a", "routes"));
    ads.stream().respond(ResourceType.CLUSTER, "8", resource(ResourceType.CLUSTER, "c", "eds"));
    ads.loop.advance(Duration.ofMinutes(5));

    assertThat(ads.observed).filteredOn(line -> line.startsWith("state problem")).hasSize(1);
    assertThat(listener.take()).containsExactly("ok: routes");
  }

  @Test
  void resourcesThatAreDecodedAfterTheEndChangeNothing() {
    var before = new FleetFixture("first:1");
    keepIn(folder.resolve("held"), before);
    before.watch(LISTENER, "a");
    before.at("first:1").stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    before.loop.advance(Duration.ofSeconds(1));
    before.loop.inside(before.clients::close);

    var fleet = new FleetFixture("first:1");
    keepIn(folder.resolve("held"), fleet);
    var kept = fleet.watch(LISTENER, "a");
    fleet.holdDecoding();
    fleet.loop.advance(AFTER);
    fleet.loop.inside(fleet.clients::close);
    fleet.decode();

    assertThat(kept.take()).isEmpty();
  }

  /** The folder is on a slow disk, and the clients are closed before it has been read. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFolderThatIsReadTooLateChangesNothing(boolean answered) {
    Queue<Runnable> files = new ArrayDeque<>();
    restartIn(folder, new AdsFixture(), MAX_AGE, files::add);
    watch();
    if (answered) {
      ads.stream().ready().respond(LISTENER, "9", resource(LISTENER, "a", "other"));
      ads.stream().respond(ResourceType.CLUSTER, "9", resource(ResourceType.CLUSTER, "c", "other"));
    }
    ads.loop.advance(AFTER);
    listener.take();

    ads.loop.inside(ads.clients::close);
    files.forEach(Runnable::run);
    ads.loop.advance(AFTER);

    assertThat(listener.take()).isEmpty();
  }

  /** A process closes its watches and, in the same turn, the clients. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void watchesThatCloseWhileResourcesAreStaleLeaveNoTimer(boolean withTheClients) {
    restart(ServerFeatures.NONE);
    var watches =
        List.of(
            ads.watch(LISTENER, "a", new RecordingWatcher<>()),
            ads.watch(ResourceType.CLUSTER, "c", new RecordingWatcher<>()));
    ads.loop.advance(AFTER);
    ads.stream().ready().respond(LISTENER, "1", resource(LISTENER, "a", "new"));
    assertThat(stale()).startsWith("STALE: 1 resource of ");

    ads.loop.inside(
        () -> {
          watches.forEach(XdsClient.Watch::close);
          if (withTheClients) {
            ads.clients.close();
          }
        });

    assertThat(ads.loop.pendingTimers()).as("the next save").isEqualTo(withTheClients ? 0 : 1);
  }

  private void watch() {
    listener = ads.watch(LISTENER, "a");
    cluster = ads.watch(ResourceType.CLUSTER, "c");
  }

  private void restart(ServerFeatures features) {
    restartIn(folder, new AdsFixture(features), MAX_AGE);
  }

  private void restartIn(Path in, AdsFixture next, Duration maxAge) {
    restartIn(in, next, maxAge, Runnable::run);
  }

  /** Ends the process at once, and starts the next one. */
  private void restartIn(Path in, AdsFixture next, Duration maxAge, Executor files) {
    end();
    ads = next;
    var state =
        new StateFolder(in, StateOrigin.of(AdsFixture.bootstrap(ServerFeatures.NONE)), maxAge);
    ads.loop.inside(() -> ads.clients.keepState(state, files, AFTER));
  }

  private StateFolder folder() {
    return new StateFolder(
        folder, StateOrigin.of(AdsFixture.bootstrap(ServerFeatures.NONE)), MAX_AGE);
  }

  private Map<String, String> states() {
    return new TreeMap<>(
        ads.status().resources().stream()
            .collect(
                Collectors.toMap(
                    XdsStatusView.Resource::name, XdsStatusView.Resource::cacheStateLabel)));
  }

  private String version(String name) {
    return ads.status().resources().stream()
        .filter(each -> each.name().equals(name))
        .map(XdsStatusView.Resource::version)
        .findFirst()
        .orElse("");
  }

  private String stale() {
    var line = new StringBuilder();
    ads.loop.inside(() -> ads.clients.stale().ifPresent(line::append));
    return line.toString();
  }

  private Map<String, String> files() throws IOException {
    Map<String, String> content = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        content.put(
            file.getFileName().toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
    return content;
  }
}
