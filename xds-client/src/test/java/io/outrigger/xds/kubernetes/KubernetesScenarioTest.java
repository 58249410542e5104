package io.outrigger.xds.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.ByteSize;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.ControlThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.deps.XdsDependencyManager;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsObserver;
import io.outrigger.xds.testing.ScriptedApiServer;
import io.outrigger.xds.testing.SliceText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From the slices of an API server over TLS to the endpoints of each target. */
@Timeout(120)
class KubernetesScenarioTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("cluster");
  private static final ServicePort ORDERS = new ServicePort("orders", "shop", "8080");
  private static final Duration WATCH_TIME = Duration.ofMinutes(1);

  /** A faster clock has shorter pauses between requests, and a shorter limit for each. */
  private static final double FASTER = 5;

  private static final Bootstrap NOBODY =
      new Bootstrap(
          List.of(),
          new Node("me", "", new Locality("", "", ""), Map.of()),
          Map.of(),
          Map.of(),
          "%s",
          Optional.empty());

  private final ScriptedApiServer api = new ScriptedApiServer(AUTHORITY.issue("ip:127.0.0.1"));
  private final ControlThread control = new ControlThread("test-control");
  private final Map<String, EndpointSet> endpoints = new ConcurrentHashMap<>();
  private final Map<String, String> failures = new ConcurrentHashMap<>();
  private final Map<String, String> notes = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> updates = new ConcurrentHashMap<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<String> connected = new CopyOnWriteArrayList<>();

  /** The timers of the Kubernetes thread that wait. */
  private final Set<Object> timers = ConcurrentHashMap.newKeySet();

  private final AtomicInteger expired = new AtomicInteger();

  private double pace = 1;

  @TempDir private Path folder;

  @BeforeEach
  void writeCredentials() throws IOException {
    Files.writeString(folder.resolve("ca.crt"), AUTHORITY.rootPem());
    Files.writeString(folder.resolve("token"), ScriptedApiServer.TOKEN + "\n");
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    api.close();
    Await.until("no timer is left", timers::toString, timers::isEmpty);
    assertThat(control.failures()).isZero();
    control.close();
  }

  private Path kubeconfig(String user) throws IOException {
    return Files.writeString(
        folder.resolve("config"),
        """
        apiVersion: v1
        kind: Config
        current-context: here
        contexts:
        - name: here
          context: {cluster: c, user: me}
        clusters:
        - name: c
          cluster: {server: "%s", certificate-authority: ca.crt}
        users:
        - name: me
          user: {%s}
        """
            .formatted(api.uri(), user));
  }

  private void start(ServicePort... targets) throws IOException {
    startWith(Optional.empty(), targets);
  }

  private void startWith(Optional<String> zone, ServicePort... targets) throws IOException {
    start(Kubeconfig.read(kubeconfig("tokenFile: token")), zone, WATCH_TIME, targets);
  }

  private void start(
      ApiAccess access, Optional<String> zone, Duration watchTime, ServicePort... targets) {
    var kubernetes =
        Kubernetes.start(control, access, zone, List.of(targets), watchTime, this::paced);
    open.add(kubernetes);
    var clients =
        new AdsClients(
            control,
            Runnable::run,
            RandomSource.SYSTEM,
            NOBODY,
            "1",
            ResourceDecoder::decode,
            server -> kubernetes.transport(server).orElseThrow(),
            new AdsObserver() {
              @Override
              public void onConnected(String server) {
                connected.add(server);
              }
            });
    control.execute(() -> Stream.of(targets).forEach(target -> watch(clients, target)));
  }

  private ControlLoop paced(ControlLoop loop) {
    return new ControlLoop() {
      @Override
      public void execute(Runnable task) {
        loop.execute(task);
      }

      @Override
      public TimerHandle schedule(Duration delay, Runnable task) {
        var timer = new Object();
        timers.add(timer);
        TimerHandle running =
            loop.schedule(
                Duration.ofNanos((long) (delay.toNanos() / pace)),
                () -> {
                  timers.remove(timer);
                  expired.incrementAndGet();
                  task.run();
                });
        return () -> {
          timers.remove(timer);
          running.cancel();
        };
      }

      @Override
      public void checkInside() {
        loop.checkInside();
      }

      @Override
      public long nanoTime() {
        return (long) (loop.nanoTime() * pace);
      }

      @Override
      public Instant now() {
        return loop.now();
      }
    };
  }

  private void watch(AdsClients clients, ServicePort target) {
    String name = target.toString();
    updates.put(name, new AtomicInteger());
    new XdsDependencyManager(
            control,
            clients.of(name, target.server()),
            (host, port, callback) -> () -> {},
            name,
            target.authority(),
            "me",
            new XdsDependencyManager.Listener() {
              @Override
              public void onConfig(Outcome<XdsConfig> config) {
                onClusters(config.toOptional().orElseThrow().clusters());
              }

              @Override
              public void onClusters(Map<String, Outcome<ClusterConfig>> changed) {
                updates.get(name).incrementAndGet();
                var leaf = (ClusterConfig.Leaf) changed.get(name).toOptional().orElseThrow();
                notes.put(name, leaf.resolutionNote());
                failures.remove(name);
                endpoints.remove(name);
                leaf.endpoints()
                    .match(
                        known -> endpoints.put(name, known),
                        failure -> failures.put(name, failure.message()));
              }
            },
            RandomSource.SYSTEM)
        .start();
  }

  private List<String> addresses(ServicePort target) {
    EndpointSet known = endpoints.get(target.toString());
    return known == null
        ? List.of()
        : known.priorities().stream()
            .flatMap(List::stream)
            .flatMap(locality -> locality.endpoints().stream())
            .filter(endpoint -> endpoint.health().isUsable())
            .map(endpoint -> endpoint.address().toString())
            .sorted()
            .toList();
  }

  private void await(ServicePort target, String... addresses) {
    Await.until(
        target + " has " + List.of(addresses),
        () -> endpoints + " " + failures + " " + api.requests(),
        () -> addresses(target).equals(List.of(addresses)));
  }

  private void awaitFailure(ServicePort target, String... parts) {
    Await.until(
        target + " fails with " + List.of(parts),
        () -> endpoints + " " + failures + " " + api.requests(),
        () ->
            Stream.of(parts)
                .allMatch(part -> failures.getOrDefault(target.toString(), "").contains(part)));
  }

  private void awaitNote(ServicePort target, String part) {
    Await.until(
        "the note says " + part,
        notes::toString,
        () -> notes.getOrDefault(target.toString(), "").contains(part));
  }

  private static SliceText slice(String name, String... ips) {
    return SliceText.of(name, "orders").port("grpc", 8080).ready(ips);
  }

  @Conformance("KN-01")
  @Test
  void theEndpointsOfAllSlicesAreUsedAndChangesFollow() throws Exception {
    api.put(slice("orders-1", "10.0.0.1", "10.0.0.2")).put(slice("orders-2", "10.0.0.3"));
    api.put(slice("orders-6", "2001:db8::1", "10.0.0.1"));

    start(ORDERS);
    await(ORDERS, "10.0.0.1:8080", "10.0.0.2:8080", "10.0.0.3:8080", "[2001:db8::1]:8080");

    api.put(slice("orders-2", "10.0.0.4"));
    await(ORDERS, "10.0.0.1:8080", "10.0.0.2:8080", "10.0.0.4:8080", "[2001:db8::1]:8080");
    api.delete("shop", "orders-6");
    await(ORDERS, "10.0.0.1:8080", "10.0.0.2:8080", "10.0.0.4:8080");
    assertThat(api.requests()).hasSize(2);
  }

  @Conformance("KN-04")
  @Test
  void aWatchThatIsCutGoesOnFromTheLastVersion() throws Exception {
    pace = FASTER;
    api.put(slice("orders-1", "10.0.0.1"));
    start(ORDERS);
    await(ORDERS, "10.0.0.1:8080");
    Await.until("it watches", () -> api.watches() == 1);
    api.put(slice("orders-1", "10.0.0.2"));
    await(ORDERS, "10.0.0.2:8080");
    api.bookmark();
    int updatesBefore = updates.get(ORDERS.toString()).get();

    api.cutWatches();
    Await.until("it watches again", api.requests()::toString, () -> api.requests("watch") == 2);
    api.put(slice("orders-1", "10.0.0.3"));
    await(ORDERS, "10.0.0.3:8080");
    api.endWatches();
    Await.until("it watches again", () -> api.requests("watch") == 3);

    assertThat(api.requests())
        .containsExactly(
            "list shop orders from 0",
            "watch shop orders from 101",
            "watch shop orders from 103", // the bookmark's
            "watch shop orders from 104");
    assertThat(updates.get(ORDERS.toString())).hasValue(updatesBefore + 1);
  }

  @Conformance("KN-04")
  @Test
  void watchesHaveRandomTimesSoThatSidecarsDoNotRenewThemTogether() throws Exception {
    pace = FASTER;
    start(ORDERS);

    int watches = 5;
    for (int i = 1; i <= watches; i++) {
      int count = i;
      Await.until("it watches", () -> api.requests("watch") == count && api.watches() == 1);
      api.endWatches();
      Await.until("the watch is over", () -> api.watches() == 0 || api.requests("watch") > count);
    }

    int seconds = (int) WATCH_TIME.toSeconds();
    assertThat(api.watchSeconds().subList(0, watches))
        .allSatisfy(each -> assertThat(each).isBetween(seconds, 2 * seconds - 1))
        .as("all watches have the same random time by chance once in ten million runs")
        .satisfies(each -> assertThat(Set.copyOf(each)).hasSizeGreaterThan(1));
  }

  @Conformance("KN-04")
  @Test
  void afterGoneItListsAndDropsNothingMeanwhile() throws Exception {
    pace = FASTER;
    api.put(slice("orders-1", "10.0.0.1")).put(slice("orders-2", "10.0.0.2"));
    start(ORDERS);
    await(ORDERS, "10.0.0.1:8080", "10.0.0.2:8080");
    Await.until("it watches", () -> api.watches() == 1);

    api.expireWatches();
    Await.until("it lists", () -> api.requests("list") == 2);
    Await.until("it watches", () -> api.watches() == 1);
    api.forgetHistory();
    api.refuse("watch", 410, "too old");
    api.cutWatches();
    Await.until("it lists", () -> api.requests("list") == 3);
    api.refuseNothing();
    Await.until("it watches", () -> api.watches() == 1);

    assertThat(updates.get(ORDERS.toString())).as("the same all the time").hasValue(1);
    api.put(slice("orders-1", "10.0.0.9"));
    await(ORDERS, "10.0.0.2:8080", "10.0.0.9:8080");

    api.refuse("watch", 410, "too old");
    api.cutWatches();
    Await.until("nobody watches", () -> api.watches() == 0);
    api.delete("shop", "orders-2");
    await(ORDERS, "10.0.0.9:8080"); // which the list alone tells
  }

  @Conformance("KN-04")
  @Test
  void anApiServerThatIsGoneChangesNothingIsToldAndIsUsedWhenItIsBack() throws Exception {
    pace = FASTER;
    api.put(slice("orders-1", "10.0.0.1"));
    start(ORDERS);
    await(ORDERS, "10.0.0.1:8080");
    Await.until("it watches", () -> api.watches() == 1);

    api.stop();

    awaitNote(ORDERS, "cannot watch endpointslices in namespace \"shop\": connection refused");
    assertThat(addresses(ORDERS)).containsExactly("10.0.0.1:8080");
    api.put(slice("orders-1", "10.0.0.2"));
    api.restart();
    await(ORDERS, "10.0.0.2:8080");
    awaitNote(ORDERS, "node ID");
    assertThat(api.requests("list")).as("resumed").isEqualTo(1);
  }

  @Conformance("KN-04")
  @ParameterizedTest
  @CsvSource({
    "https://nowhere.invalid:6443, its name cannot be resolved",
    "https://255.255.255.255:6443, network unreachable",
    "https://127.0.0.1:1, connection refused"
  })
  void anApiServerThatCannotBeReachedIsToldWithTheReason(URI server, String reason)
      throws Exception {
    ApiAccess access = Kubeconfig.read(kubeconfig("tokenFile: token"));

    start(
        new ApiAccess(server, access.roots(), access.token(), access.chain(), access.key()),
        Optional.empty(),
        WATCH_TIME,
        ORDERS);

    awaitFailure(ORDERS, "kubernetes API server " + server + ": cannot list", ": " + reason);
  }

  @Conformance("KN-04")
  @Test
  void anApiServerThatIsIllIsAskedAfterPausesThatGrow() throws Exception {
    pace = FASTER;
    api.refuse("list", 500, "broken");
    start(ORDERS);
    Await.until("it lists again", () -> api.requests("list") == 2);

    Thread.sleep(2_000); // at this pace ten seconds

    assertThat(api.requests("list")).as("at 0, 1, 2.6, 5.2 and 9.3 s").isLessThan(8);
    api.put(slice("orders-1", "10.0.0.1"));
    api.refuseNothing();
    await(ORDERS, "10.0.0.1:8080");
  }

  /** Each HTTP client has a thread and files, and an outage may last for days. */
  @Conformance("KN-08")
  @Test
  void anOutageMakesNoFurtherClients() throws Exception {
    pace = FASTER;
    api.put(slice("orders-1", "10.0.0.1"));
    start(ORDERS);
    await(ORDERS, "10.0.0.1:8080");
    Await.until("it watches", () -> api.watches() == 1);
    Set<String> threads = clientThreads();

    api.stop();
    awaitNote(ORDERS, "connection refused");
    int before = expired.get();
    Await.until("three more attempts began", () -> expired.get() >= before + 3);

    assertThat(clientThreads()).isSubsetOf(threads);
    api.put(slice("orders-1", "10.0.0.2"));
    api.restart();
    await(ORDERS, "10.0.0.2:8080");
  }

  private static Set<String> clientThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("HttpClient-"))
        .collect(Collectors.toSet());
  }

  @Conformance("KN-04")
  @Test
  void aConnectionThatIsDeadWithoutASignIsReplaced() throws Exception {
    api.put(slice("orders-1", "10.0.0.1"));
    Duration second = Duration.ofSeconds(1); // the server keeps to no such time
    start(Kubeconfig.read(kubeconfig("tokenFile: token")), Optional.empty(), second, ORDERS);
    await(ORDERS, "10.0.0.1:8080");

    Await.until("it watches anew", () -> api.requests("watch") >= 3);

    assertThat(api.connections()).isGreaterThanOrEqualTo(3);
    assertThat(updates.get(ORDERS.toString())).hasValue(1);
  }

  @Conformance("KN-05")
  @Test
  void aTokenThatWasReplacedIsReadAnew() throws Exception {
    pace = FASTER;
    api.put(slice("orders-1", "10.0.0.1"));
    api.takeTokens("another.token");
    start(ORDERS);
    awaitFailure(ORDERS, "cannot list endpointslices", "401", "credentials have expired");
    assertThat(failures.toString()).doesNotContain(ScriptedApiServer.TOKEN);

    TestIdentity.replace(folder.resolve("token"), "another.token");

    await(ORDERS, "10.0.0.1:8080");
  }

  @Conformance("KN-05")
  @Test
  void aRefusalNamesVerbResourceAndRemedyAndIsTriedAgain() throws Exception {
    pace = FASTER;
    api.put(slice("orders-1", "10.0.0.1"));
    api.refuse("list", 403, "User \"system:serviceaccount:shop:a\" cannot list");
    start(ORDERS);
    awaitFailure(
        ORDERS,
        "cannot list endpointslices in namespace \"shop\": 403",
        "system:serviceaccount:shop:a",
        "Role with the verbs get, list and watch on endpointslices of discovery.k8s.io"
            + " (it lacks list)");
    assertThat(connected).isEmpty();

    api.refuseNothing();
    api.refuse("watch", 403, "");
    await(ORDERS, "10.0.0.1:8080");
    assertThat(connected).containsExactly(ORDERS.toString());
    awaitNote(ORDERS, "cannot watch endpointslices in namespace \"shop\": 403");
    awaitNote(ORDERS, "(it lacks watch)");
    api.put(slice("orders-1", "10.0.0.2"));
    await(ORDERS, "10.0.0.2:8080"); // lists instead

    api.refuseNothing();
    Await.until("it watches", () -> api.watches() == 1);
    awaitNote(ORDERS, "node ID");
  }

  @Conformance("KN-05")
  @Test
  void aServiceThatDoesNotExistFailsUntilItDoes() throws Exception {
    start(ORDERS);
    awaitFailure(ORDERS, "kubernetes service \"orders.shop\" has no EndpointSlices");
    Await.until("it watches", () -> api.watches() == 1);

    api.put(slice("orders-1", "10.0.0.1"));
    await(ORDERS, "10.0.0.1:8080");

    api.delete("shop", "orders-1");
    awaitFailure(ORDERS, "kubernetes service \"orders.shop\" has no EndpointSlices");
  }

  @Test
  void aSilentApiServerIsToldBeforeTheResourcesCountAsMissing() throws Exception {
    pace = FASTER;
    api.put(slice("orders-1", "10.0.0.1"));
    api.keepSilent(true);
    start(ORDERS);
    awaitFailure(ORDERS, "cannot list endpointslices", "it does not answer");

    api.keepSilent(false);
    await(ORDERS, "10.0.0.1:8080");
  }

  @Conformance("KN-07")
  @Test
  void onlyTheAuthorityOfTheClusterIsTrusted() throws Exception {
    pace = FASTER;
    Files.writeString(folder.resolve("ca.crt"), TestAuthority.named("another cluster").rootPem());
    api.put(slice("orders-1", "10.0.0.1"));
    start(ORDERS);
    awaitFailure(ORDERS, "cannot list endpointslices", "TLS: ", "certificate verify failed");
    assertThat(api.requests()).as("the token was not sent").isEmpty();

    TestIdentity.replace(folder.resolve("ca.crt"), AUTHORITY.rootPem());

    await(ORDERS, "10.0.0.1:8080");
  }

  @Conformance("KN-07")
  @Test
  void anotherHostNameIsNotTrusted() throws Exception {
    try (var other = new ScriptedApiServer(AUTHORITY.issue("ip:127.0.0.2", "dns:kubernetes"))) {
      Path file = kubeconfig("tokenFile: token");
      Files.writeString(file, Files.readString(file).replace(api.uri(), other.uri()));
      start(Kubeconfig.read(file), Optional.empty(), WATCH_TIME, ORDERS);

      awaitFailure(ORDERS, "TLS: ");
      assertThat(other.requests()).isEmpty();
    }
  }

  @Conformance("KN-07")
  @Test
  void aClientCertificateIsShown() throws Exception {
    TestIdentity me = TestAuthority.named("users").issue();
    Files.writeString(folder.resolve("me.crt"), me.chainPem());
    Files.writeString(folder.resolve("me.key"), me.keyPem());
    api.takeTokens();
    api.askForCertificate();
    api.put(slice("orders-1", "10.0.0.1"));

    start(
        Kubeconfig.read(kubeconfig("client-certificate: me.crt, client-key: me.key")),
        Optional.empty(),
        WATCH_TIME,
        ORDERS);

    await(ORDERS, "10.0.0.1:8080");
    assertThat(api.clients()).containsExactly("CN=workload of users");
  }

  @Conformance("KN-08")
  @Test
  void twoHundredTargetsAreOneConnectionOneListAndOneWatch() throws Exception {
    ServicePort[] targets =
        Stream.iterate(0, i -> i < 200, i -> i + 1)
            .map(i -> new ServicePort("s" + i, "shop", "grpc"))
            .toArray(ServicePort[]::new);
    for (ServicePort target : targets) {
      api.put(
          SliceText.of(target.service() + "-x", target.service())
              .port("grpc", 8080)
              .ready("10.0.0.1"));
    }

    start(targets);

    for (ServicePort target : targets) {
      await(target, "10.0.0.1:8080");
    }
    Await.until("it watches", () -> api.watches() == 1);
    assertThat(api.requests()).hasSize(2);
    assertThat(api.connections()).isOne();
    api.put(SliceText.of("s7-x", "s7").port("grpc", 8080).ready("10.0.0.2"));
    await(targets[7], "10.0.0.2:8080");
    assertThat(
            updates.entrySet().stream()
                .filter(each -> each.getValue().get() > 1)
                .map(Map.Entry::getKey)
                .collect(Collectors.toList()))
        .as("the others are not touched")
        .containsExactly(targets[7].toString());
  }

  /** Endpoints that stay are the very objects of before, so that what follows costs nothing. */
  @Conformance("KN-08")
  @Test
  void anUpdateOfOneSliceLeavesTheEndpointsOfTheOthersAsTheyAre() throws Exception {
    for (int i = 0; i < 100; i++) {
      String[] ips = new String[10];
      for (int j = 0; j < ips.length; j++) {
        ips[j] = "10.0." + i + "." + j;
      }
      api.put(slice("orders-" + i, ips));
    }
    start(ORDERS);
    Await.until("all are there", () -> addresses(ORDERS).size() == 1000);
    EndpointSet before = endpoints.get(ORDERS.toString());
    Await.until("it watches", () -> api.watches() == 1);

    api.put(slice("orders-7", "10.0.7.0"));
    Await.until("nine are gone", () -> addresses(ORDERS).size() == 991);

    Set<Endpoint> known = Collections.newSetFromMap(new IdentityHashMap<>());
    known.addAll(before.priorities().get(0).get(0).endpoints());
    assertThat(endpoints.get(ORDERS.toString()).priorities().get(0).get(0).endpoints())
        .allMatch(known::contains);
    assertThat(api.requests("list")).isOne();
  }

  @Conformance("KN-01")
  @Test
  void aPortOfTheServiceIsThatOfItsPodsOnlyWhenNoPodListensOnIt() throws Exception {
    var service = new ServicePort("orders", "shop", "80");
    api.putService("shop", "orders", "grpc", 80);
    api.put(slice("orders-1", "10.0.0.1"));
    start(service, ORDERS);
    await(service, "10.0.0.1:8080");
    await(ORDERS, "10.0.0.1:8080");

    api.put(slice("orders-1", "10.0.0.2"));
    await(service, "10.0.0.2:8080");
    api.put(SliceText.of("orders-1", "orders").port("grpc", 9090).ready("10.0.0.2"));
    await(service, "10.0.0.2:9090");

    assertThat(updates.get(service.toString())).as("no failure between").hasValue(3);
    Await.until("80 was asked for, and 8080 when it was gone", () -> api.requests("get") == 2);
  }

  @Conformance({"KN-01", "KN-04"})
  @Test
  void aServiceThatCannotBeReadAgainChangesNothing() throws Exception {
    pace = FASTER;
    var service = new ServicePort("orders", "shop", "80");
    api.putService("shop", "orders", "grpc", 80);
    api.put(slice("orders-1", "10.0.0.1"));
    start(service);
    await(service, "10.0.0.1:8080");

    api.refuse("get", 503, "busy");
    api.put(SliceText.of("orders-1", "orders").port("web", 7070).ready("10.0.0.1"));
    Await.until("the Service was asked for twice more", () -> api.requests("get") >= 3);
    api.putService("shop", "orders", "web", 80);
    api.refuseNothing();
    await(service, "10.0.0.1:7070");

    assertThat(updates.get(service.toString())).as("no failure between").hasValue(2);
  }

  /** Starts a target with a number that no pod has, which the Service may explain. */
  private ServicePort startWithoutService(int status, String message) throws Exception {
    var service = new ServicePort("orders", "shop", "80");
    api.refuse("get", status, message);
    api.put(slice("orders-1", "10.0.0.1"));
    start(service);
    return service;
  }

  @Conformance({"KN-01", "KN-05"})
  @Test
  void aServiceThatMayNotBeReadIsTold() throws Exception {
    ServicePort service = startWithoutService(403, "forbidden");
    awaitFailure(
        service,
        "has no port \"80\": its pods listen on grpc=8080",
        "if it is a port of the Service, allow the verb get on services (403)");

    api.put(SliceText.of("orders-1", "orders").port("grpc", 80).ready("10.0.0.1"));
    await(service, "10.0.0.1:80");

    api.delete("shop", "orders-1");
    awaitFailure(service, "has no EndpointSlices");
    assertThat(failures.get(service.toString())).as("the port is not to blame").endsWith("name");
  }

  @Conformance({"KN-01", "KN-05"})
  @Test
  void aServiceThatCannotBeReadIsToldWithTheReason() throws Exception {
    ServicePort service = startWithoutService(401, "unauthorized");
    awaitFailure(service, "such a port; the Service cannot be read: 401");
  }

  @Conformance("KN-05")
  @Test
  void aTargetIsConnectedAlthoughItsServiceCannotBeRead() throws Exception {
    pace = FASTER;
    api.refuse("list", 403, "not yet");
    ServicePort service = startWithoutService(503, "busy");
    awaitFailure(service, "cannot list endpointslices");

    api.refuseNothing();
    api.refuse("get", 503, "busy");
    awaitFailure(service, "the Service cannot be read: 503");
    assertThat(connected).containsExactly(service.toString());
  }

  /** Another replica of the API server may know less than the one that was asked before. */
  @Conformance("KN-04")
  @Test
  void aListAfterARefusedWatchIsNotOlderThanTheSlicesInUse() throws Exception {
    pace = FASTER;
    api.put(slice("orders-1", "10.0.0.1"));
    start(ORDERS);
    Await.until("it watches", () -> api.watches() == 1);
    api.refuse("watch", 500, "broken");
    api.cutWatches();
    Await.until("it lists", () -> api.requests("list") == 2);

    assertThat(api.requests().stream().filter(request -> request.startsWith("list")))
        .containsExactly("list shop orders from 0", "list shop orders"); // the newest
    assertThat(addresses(ORDERS)).containsExactly("10.0.0.1:8080");
  }

  /**
   * Each of many changes that come at once is applied, in their order. Endpoints change ten times a
   * second at most, because each change costs all of them.
   */
  @Conformance("KN-02")
  @Test
  void noChangeOfManyIsLost() throws Exception {
    api.put(slice("orders-0", "10.0.0.1"));
    start(ORDERS);
    await(ORDERS, "10.0.0.1:8080");
    Await.until("it watches", () -> api.watches() == 1);

    long started = System.nanoTime();
    for (int i = 0; i < 4_000; i++) {
      String name = "orders-" + i % 10;
      if (i % 7 == 6) {
        api.put(slice(name, "10.9.9.9"));
        api.delete("shop", name);
      }
      api.put(slice(name, "10.0." + i % 10 + "." + i / 10 % 250));
    }

    await(
        ORDERS,
        Stream.iterate(0, i -> i < 10, i -> i + 1)
            .map(i -> "10.0." + i + "." + 399 % 250 + ":8080")
            .toArray(String[]::new));
    assertThat(api.requests()).as("one list and one watch").hasSize(2);
    long tenths = Duration.ofNanos(System.nanoTime() - started).toMillis() / 100;
    assertThat(updates.get(ORDERS.toString()).get()).isLessThanOrEqualTo((int) tenths + 3);
  }

  /** Also while a change waits until the next update is due, here for ten seconds. */
  @Test
  void aWatchThatIsClosedLeavesNoTimer() throws Exception {
    pace = 0.01;
    api.put(slice("orders-1", "10.0.0.1"));
    start(ORDERS);
    await(ORDERS, "10.0.0.1:8080");
    Await.until("it watches", () -> api.watches() == 1 && timers.size() == 1);

    api.put(slice("orders-1", "10.0.0.2"));

    Await.until("the change waits", () -> timers.size() == 2); // close() looks for timers
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  @Conformance("KN-07")
  void aRedirectIsNotFollowed(int status) throws Exception {
    api.refuse("list", status, "");
    start(ORDERS);

    awaitFailure(ORDERS, status + "; it redirects", "give the address of the API server");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<html>",
        "[]",
        "{}",
        "{\"metadata\":7,\"items\":{}}",
        "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[7]}",
        "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[{",
        "gzip",
        "deep",
      })
  @Conformance("KN-04")
  void anAnswerThatIsNoListIsToldAndChangesNothing(String text) throws Exception {
    pace = FASTER;
    byte[] body =
        switch (text) {
          case "gzip" -> new byte[] {0x1f, (byte) 0x8b, 8, 0, 0};
          case "deep" -> ("{\"items\":[" + "[".repeat(1 << 20)).getBytes(StandardCharsets.UTF_8);
          default -> text.getBytes(StandardCharsets.UTF_8);
        };
    api.answer("list", () -> new ByteArrayInputStream(body));
    start(ORDERS);
    awaitFailure(ORDERS, "cannot list", "its answer is no list of EndpointSlices");

    api.refuseNothing();
    api.put(slice("orders-1", "10.0.0.1"));
    await(ORDERS, "10.0.0.1:8080");
  }

  /** Wrong types of a slice's fields count as absent, and the other slices are used. */
  @Conformance("KN-01")
  @Test
  void fieldsOfWrongTypesAreLeftOut() throws Exception {
    String labels = "\"labels\":{\"kubernetes.io/service-name\":\"orders\"}";
    String list =
        """
        {"metadata":{"resourceVersion":"5"},"items":[
         {"metadata":{"name":"a",%1$s},"ports":[{"name":1,"port":8080}],
          "endpoints":[{"addresses":["10.0.0.1"],"conditions":[],"hints":7,"zone":{},"targetRef":1},
                       {"addresses":[{}]},{"addresses":"10.0.0.2"},7,{"addresses":["../../etc"]}]},
         {"metadata":{"name":"/../b",%1$s},"ports":7,"endpoints":{}},
         {"metadata":{"name":"c",%1$s},"ports":[{"port":1e99},{"port":"8080"},{"port":-1}],
          "endpoints":[{"addresses":["10.0.0.3"]}]},
         {}]}
        """
            .formatted(labels);
    api.answer("list", () -> new ByteArrayInputStream(list.getBytes(StandardCharsets.UTF_8)));
    start(ORDERS);

    await(ORDERS, "10.0.0.1:8080");
  }

  @Conformance("KN-04")
  @Test
  void anEndlessListIsCutAndTold() throws Exception {
    pace = 1 / FASTER; // 128 MiB take a while where the machine is busy
    int limit = ApiClient.maxBody(Runtime.getRuntime().maxMemory());
    api.answer("list", KubernetesScenarioTest::endless);
    start(ORDERS);

    awaitFailure(
        ORDERS,
        "cannot list endpointslices",
        "its answer is longer than " + ByteSize.format(limit),
        "-Xmx");
  }

  @Conformance("KN-04")
  @Test
  void theLimitOfAnAnswerIsAShareOfTheHeap() {
    assertThat(ApiClient.maxBody(72L << 20)).isEqualTo(9 << 20);
    assertThat(ApiClient.maxBody(8L << 30)).isEqualTo(256 << 20);
  }

  @Conformance("KN-04")
  @Test
  void anEndlessEventIsCutAndToldAndTheListIsReadInstead() throws Exception {
    api.put(slice("orders-1", "10.0.0.1"));
    api.answer("watch", KubernetesScenarioTest::endless);
    start(ORDERS);
    awaitNote(ORDERS, "cannot watch endpointslices");
    int limit = ApiClient.maxBody(Runtime.getRuntime().maxMemory()) / 4;
    awaitNote(ORDERS, "its answer is longer than " + ByteSize.format(limit));

    api.put(slice("orders-1", "10.0.0.2"));

    await(ORDERS, "10.0.0.2:8080");
  }

  private static InputStream endless() {
    return new InputStream() {
      @Override
      public int read() {
        return ' ';
      }

      @Override
      public int read(byte[] to, int from, int length) {
        Arrays.fill(to, from, from + length, (byte) ' ');
        return length;
      }
    };
  }

  @Test
  void namespacesAreWatchedEachByItself() throws Exception {
    var pay = new ServicePort("pay", "money", "grpc");
    api.put(slice("orders-1", "10.0.0.1"));
    api.put(SliceText.in("money", "pay-1", "pay").port("grpc", 9090).ready("10.1.0.1"));

    start(ORDERS, new ServicePort("orders", "shop", "grpc"), pay);

    await(ORDERS, "10.0.0.1:8080");
    await(new ServicePort("orders", "shop", "grpc"), "10.0.0.1:8080");
    await(pay, "10.1.0.1:9090");
    Await.until("both are watched", () -> api.watches() == 2);
    assertThat(api.requests()).hasSize(4);
  }
}
