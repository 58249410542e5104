package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.outrigger.base.Outcome;
import io.outrigger.base.PathWatcher;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ScriptedRandom;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.FakeWorkloadApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real files under a clock that stands still; readings run when a test lets them. */
class CertificateStoreTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestIdentity FIRST =
      AUTHORITY.issue(CertificateStoreTest::old, "uri:spiffe://mesh/a", "dns:a");
  private static final TestIdentity SECOND =
      AUTHORITY.issue(CertificateStoreTest::old, "uri:spiffe://mesh/a");
  private static final Duration SECOND_OF_TIME = Duration.ofSeconds(1);

  private final FakeControlLoop loop = new FakeControlLoop();
  private final List<Consumer<Outcome<List<String>>>> istioCas = new ArrayList<>();
  private final FakeWorkloadApi workloads = new FakeWorkloadApi();
  private final Deque<Runnable> readings = new ArrayDeque<>();
  private final List<String> events = new ArrayList<>();
  private final List<Outcome<TlsMaterial>> heard = new ArrayList<>();

  @TempDir private Path folder;
  private Path chain = Path.of("");
  private Path key = Path.of("");
  private Path roots = Path.of("");

  @BeforeEach
  void name() {
    chain = folder.resolve("chain.pem");
    key = folder.resolve("key.pem");
    roots = folder.resolve("roots.pem");
  }

  private final CertificateObserver observer =
      new CertificateObserver() {
        @Override
        public void onLoaded(String instance, String what) {
          events.add(instance + " loaded");
        }

        @Override
        public void onFailed(String instance, String reason) {
          events.add(instance + " failed: " + reason);
        }
      };

  private CertificateStore start(Map<String, CertificateProvider> providers) {
    var store =
        new CertificateStore(
            loop,
            readings::add,
            new ScriptedRandom(1),
            workloads,
            (ca, request, now, then) -> istioCas.add(then),
            Optional.empty(),
            observer);
    loop.inside(() -> store.start(providers));
    return store;
  }

  private CertificateStore start() {
    return start(Map.of("default", files(Duration.ofSeconds(600))));
  }

  private CertificateProvider files(Duration interval) {
    return new CertificateProvider.FileWatcher(
        new CertificateFiles(
            Optional.of(chain.toString()),
            Optional.of(key.toString()),
            Optional.of(roots.toString()),
            Optional.empty(),
            interval));
  }

  /** Runs what is to be read, and what follows. */
  private void read() {
    while (!readings.isEmpty()) {
      readings.remove().run();
      loop.run();
    }
  }

  /** A second passes in which files are looked at as often as the watcher likes. */
  private void second() {
    advance(SECOND_OF_TIME);
  }

  private void advance(Duration time) {
    Duration step = Duration.ofMillis(100);
    for (Duration over = Duration.ZERO; over.compareTo(time) < 0; over = over.plus(step)) {
      loop.advance(step);
      read();
    }
  }

  private void write(TestIdentity identity) throws IOException {
    TestIdentity.replace(key, identity.keyPem());
    TestIdentity.replace(chain, identity.chainPem());
  }

  private void writeAll() throws IOException {
    write(FIRST);
    TestIdentity.replace(roots, AUTHORITY.rootPem());
  }

  private static UpstreamTls settings(String instance) {
    return new UpstreamTls(
        Optional.of(instance), new TrustSource.Provider(instance), List.of(), "", false, false);
  }

  private CertificateStore.Watch watch(CertificateStore store) {
    return watch(store, settings("default"));
  }

  private CertificateStore.Watch watch(CertificateStore store, UpstreamTls settings) {
    var watch = new ArrayList<CertificateStore.Watch>();
    loop.inside(() -> watch.add(store.watch(settings, heard::add)));
    return watch.get(0);
  }

  private static List<?> chainOf(Outcome<TlsMaterial> material) {
    return material.toOptional().orElseThrow().identity().orElseThrow().chain();
  }

  private CertificateView.Provider view(CertificateStore store) {
    var view = new ArrayList<CertificateView.Provider>();
    loop.inside(() -> view.addAll(store.view()));
    return view.get(0);
  }

  @Test
  void filesAreReadOffTheControlLoopAndOnceForAllClusters() throws IOException {
    writeAll();
    CertificateStore store = start();
    CertificateStore.Watch one = watch(store);
    CertificateStore.Watch other = watch(store);

    assertThat(one.material().status())
        .isEqualTo(
            RpcStatus.unavailable(
                "certificate provider \"default\": no certificates yet: they are being read"));
    assertThat(readings).as("one provider for both").hasSize(1);

    read();

    assertThat(heard).hasSize(2);
    assertThat(chainOf(one.material())).isEqualTo(FIRST.chain());
    assertThat(other.material()).isEqualTo(one.material());
    assertThat(one.material().toOptional().orElseThrow().roots().certificates())
        .containsExactly(AUTHORITY.root());
    assertThat(events).containsExactly("default loaded");
  }

  @Test
  void aChangeIsNoticedWithinASecond() throws IOException {
    writeAll();
    CertificateStore store = start();
    CertificateStore.Watch watch = watch(store);
    read();
    heard.clear();

    write(SECOND);
    second();

    assertThat(heard).as("one for both files").hasSize(1);
    assertThat(chainOf(watch.material())).isEqualTo(SECOND.chain());
    assertThat(events).containsExactly("default loaded", "default loaded");
  }

  @Test
  void aSwapOfLinksIsNoticedAsKubernetesDoesIt() throws IOException {
    for (var each : Map.of("one", FIRST, "two", SECOND).entrySet()) {
      Path version = Files.createDirectory(folder.resolve(".." + each.getKey()));
      Files.writeString(version.resolve("chain.pem"), each.getValue().chainPem());
      Files.writeString(version.resolve("key.pem"), each.getValue().keyPem());
      Files.writeString(version.resolve("roots.pem"), AUTHORITY.rootPem());
      for (String file : List.of("chain.pem", "key.pem", "roots.pem")) { // as if of one moment
        Files.setLastModifiedTime(version.resolve(file), FileTime.from(Instant.EPOCH));
      }
    }
    swapData("..one");
    for (Path file : List.of(chain, key, roots)) {
      Files.createSymbolicLink(file, Path.of("..data").resolve(file.getFileName()));
    }
    CertificateStore.Watch watch = watch(start());
    read();
    assertThat(chainOf(watch.material())).isEqualTo(FIRST.chain());

    swapData("..two");
    second();

    assertThat(chainOf(watch.material())).isEqualTo(SECOND.chain());
  }

  /**
   * A certificate of Kubernetes for pods: key and chain are one file of a projected volume. The
   * kubelet prepares a folder with all files and renames the link {@code ..data}.
   */
  @Test
  @Conformance({"A29-04", "A29-13"})
  void keyAndChainInOneFileAreSwappedTogether() throws IOException {
    TestAuthority issuing = AUTHORITY.intermediate("issuing", CertificateStoreTest::old);
    bundleOf(issuing.issue(CertificateStoreTest::old, "uri:spiffe://mesh/a"), "..0");
    CertificateStore.Watch watch = watch(start());
    read();

    for (int i = 1; i <= 20; i++) {
      TestIdentity next = issuing.issue(CertificateStoreTest::old, "uri:spiffe://mesh/a");
      bundleOf(next, ".." + i);
      loop.advance(PathWatcher.PACE);
      read();

      Identity own = watch.material().toOptional().orElseThrow().identity().orElseThrow();
      assertThat(own.chain()).isEqualTo(next.chain());
      assertThat(own.key()).isEqualTo(next.key());
      assertThat(heard).as("one for key and chain").hasSize(1 + i);
    }

    assertThat(events).hasSize(21).containsOnly("default loaded");
  }

  /** Swaps go on while the file is read: each reading is of one file, the old or the new. */
  @Test
  @Conformance("A29-13")
  void aSwapDuringAReadingLeavesNoMixedPair() throws Exception {
    bundleOf(FIRST, "..one");
    bundleOf(SECOND, "..two");
    var isRead = new AtomicBoolean();
    var swapped = new AtomicInteger();
    var swaps =
        new FutureTask<>(
            () -> {
              while (!isRead.get()) {
                swapData(swapped.getAndIncrement() % 2 == 0 ? "..one" : "..two");
              }
              return true;
            });
    var kubelet = new Thread(swaps, "kubelet");
    kubelet.start();
    List<Identity> found = new ArrayList<>();
    try {
      while (found.size() < 500 || (swapped.get() < 3 && !swaps.isDone())) {
        found.add(Identity.read(chain.toString(), key.toString()));
      }
    } finally {
      isRead.set(true);
      kubelet.join();
    }

    assertThat(swaps.get()).as("all went well").isTrue();
    assertThat(found)
        .allSatisfy(
            own ->
                assertThat(own.key())
                    .isEqualTo((own.leaf().equals(FIRST.certificate()) ? FIRST : SECOND).key()));
  }

  /** A program that writes the file in place exposes parts of it meanwhile. */
  @Test
  @Conformance({"A29-04", "A29-13"})
  void aHalfWrittenFileOfKeyAndChainLeavesTheOldPair() throws IOException {
    TestAuthority issuing = AUTHORITY.intermediate("issuing", CertificateStoreTest::old);
    TestIdentity before = issuing.issue(CertificateStoreTest::old, "uri:spiffe://mesh/a");
    TestIdentity after = issuing.issue(CertificateStoreTest::old, "uri:spiffe://mesh/a");
    key = chain;
    Files.writeString(chain, before.keyPem() + before.chainPem());
    Files.writeString(roots, AUTHORITY.rootPem());
    CertificateStore.Watch watch = watch(start());
    read();

    String whole = after.keyPem() + after.chainPem();
    int afterLeaf = (after.keyPem() + TestIdentity.pem(after.certificate())).length();
    int afterKey = after.keyPem().length();
    for (int end :
        List.of(0, afterKey / 2, afterKey, (afterKey + afterLeaf) / 2, afterLeaf, afterLeaf + 99)) {
      Files.writeString(chain, whole.substring(0, end));
      second();
      Identity own = watch.material().toOptional().orElseThrow().identity().orElseThrow();
      assertThat(own)
          .as("%s characters", end)
          .isEqualTo(new Identity(before.chain(), before.key()));
    }
    Files.writeString(chain, whole);
    second();

    assertThat(watch.material().toOptional().orElseThrow().identity().orElseThrow())
        .isEqualTo(new Identity(after.chain(), after.key()));
    assertThat(heard).as("the old pair and the new one").hasSize(2);
  }

  /** A projected volume as the kubelet leaves it after it has written {@code identity}. */
  private void bundleOf(TestIdentity identity, String version) throws IOException {
    Path written = Files.createDirectory(folder.resolve(version));
    Files.writeString(written.resolve("chain.pem"), identity.keyPem() + identity.chainPem());
    Files.writeString(written.resolve("roots.pem"), AUTHORITY.rootPem());
    swapData(version);
    key = chain;
    for (Path file : List.of(chain, roots)) {
      if (!Files.exists(file)) {
        Files.createSymbolicLink(file, Path.of("..data").resolve(file.getFileName()));
      }
    }
  }

  private void swapData(String version) throws IOException {
    Path fresh = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of(version));
    Files.move(
        fresh,
        folder.resolve("..data"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void aKeyThatComesBeforeItsCertificateIsNoFailure() throws IOException {
    writeAll();
    CertificateStore store = start();
    CertificateStore.Watch watch = watch(store);
    read();
    heard.clear();
    events.clear();

    for (int i = 0; i < 100; i++) {
      TestIdentity next = i % 2 == 0 ? SECOND : FIRST;
      TestIdentity.replace(key, next.keyPem());
      loop.advance(PathWatcher.PACE);
      read();
      assertThat(chainOf(watch.material()))
          .as("the old pair")
          .isEqualTo((i % 2 == 0 ? FIRST : SECOND).chain());
      TestIdentity.replace(chain, next.chainPem());
      loop.advance(PathWatcher.PACE);
      read();
      assertThat(chainOf(watch.material())).isEqualTo(next.chain());
    }

    assertThat(events).hasSize(100).containsOnly("default loaded");
    assertThat(heard).hasSize(100).allMatch(Outcome::isOk);
  }

  @Test
  void aPairThatDoesNotMatchLeavesTheOldOneWithTheReason() throws IOException {
    writeAll();
    CertificateStore store = start();
    CertificateStore.Watch watch = watch(store);
    read();
    Instant loaded = view(store).loaded().orElseThrow();

    TestIdentity.replace(key, SECOND.keyPem());
    second();

    String reason = "private_key_file " + key + " is not the key of certificate_file " + chain;
    assertThat(chainOf(watch.material())).isEqualTo(FIRST.chain());
    assertThat(view(store).error()).contains(reason);
    assertThat(view(store).loaded()).contains(loaded);
    assertThat(events).containsExactly("default loaded", "default failed: " + reason);

    loop.advance(Duration.ofHours(1));
    read();
    assertThat(events).as("said once").hasSize(2);

    TestIdentity.replace(chain, SECOND.chainPem());
    second();
    assertThat(view(store).error()).isEmpty();
    assertThat(view(store).loaded().orElseThrow()).isAfter(loaded);
    assertThat(chainOf(watch.material())).isEqualTo(SECOND.chain());
  }

  @Test
  void brokenAndRemovedFilesLeaveWhatIsInUse() throws IOException {
    writeAll();
    CertificateStore store = start();
    CertificateStore.Watch watch = watch(store);
    read();
    Outcome<TlsMaterial> before = watch.material();

    TestIdentity.replace(roots, "garbage");
    Files.delete(chain);
    second();
    assertThat(watch.material()).isEqualTo(before);
    assertThat(heard).as("clusters have nothing to do").hasSize(1);
    assertThat(view(store).error())
        .contains(
            "certificate_file "
                + chain
                + " does not exist; ca_certificate_file "
                + roots
                + " has no certificate; PEM is needed: -----BEGIN CERTIFICATE-----");

    TestIdentity.replace(chain, FIRST.chainPem());
    second();
    assertThat(view(store).error().orElseThrow())
        .startsWith("ca_certificate_file " + roots + " has no certificate");
  }

  @Test
  void newRootsAreTakenThoughTheKeyIsBroken() throws IOException {
    writeAll();
    CertificateStore.Watch watch = watch(start());
    read();

    TestAuthority other = TestAuthority.named("other");
    TestIdentity.replace(key, "garbage");
    TestIdentity.replace(roots, AUTHORITY.rootPem() + other.rootPem());
    second();

    TlsMaterial material = watch.material().toOptional().orElseThrow();
    assertThat(material.roots().certificates()).containsExactly(AUTHORITY.root(), other.root());
    assertThat(material.identity().orElseThrow().chain()).isEqualTo(FIRST.chain());
  }

  /** The second write comes 0.8 s after the first, which leaves a file that can be read. */
  @Test
  @Conformance("A29-04")
  void rootsThatAreWrittenInTwoStepsAreTakenWhenTheyStandStill() throws IOException {
    writeAll();
    CertificateStore.Watch watch = watch(start());
    read();
    TestAuthority other = TestAuthority.named("other");

    Files.writeString(roots, other.rootPem());
    advance(Duration.ofMillis(800));
    assertThat(rootsOf(watch).certificates()).as("between").containsExactly(AUTHORITY.root());
    Files.writeString(roots, AUTHORITY.rootPem(), StandardOpenOption.APPEND);
    second();

    assertThat(rootsOf(watch).certificates()).containsExactly(other.root(), AUTHORITY.root());
    assertThat(heard).as("the first, and both").hasSize(2);
    assertThat(events).containsExactly("default loaded", "default loaded");

    Files.delete(roots);
    second();
    Files.writeString(roots, other.rootPem());
    second();
    assertThat(rootsOf(watch).certificates()).as("the file is new").hasSize(2);
    advance(FileWatcher.STILL);
    assertThat(rootsOf(watch).certificates()).containsExactly(other.root());
  }

  @Test
  @Conformance("A29-04")
  void rootsThatComeBackInTwoStepsAfterAllFilesWereGoneAreTakenWhenTheyStandStill()
      throws IOException {
    writeAll();
    CertificateStore.Watch watch = watch(start());
    read();
    TestAuthority other = TestAuthority.named("other");
    for (Path file : List.of(chain, key, roots)) {
      Files.delete(file);
    }
    second();

    Files.writeString(roots, other.rootPem());
    second();
    assertThat(rootsOf(watch).certificates()).as("between").containsExactly(AUTHORITY.root());
    Files.writeString(roots, AUTHORITY.rootPem(), StandardOpenOption.APPEND);
    advance(FileWatcher.STILL);

    assertThat(rootsOf(watch).certificates()).containsExactly(other.root(), AUTHORITY.root());
  }

  @Test
  @Conformance("A29-04")
  void aChainThatIsWrittenInTwoStepsIsTakenWhenItStandsStill() throws IOException {
    TestIdentity own =
        AUTHORITY
            .intermediate("issuing", CertificateStoreTest::old)
            .issue(CertificateStoreTest::old, "uri:spiffe://mesh/a");
    write(own);
    TestIdentity.replace(roots, AUTHORITY.rootPem());
    watch(start());
    read();

    Files.writeString(chain, TestIdentity.pem(own.certificate()));
    advance(Duration.ofMillis(800));
    Files.writeString(chain, own.chainPem());
    advance(FileWatcher.STILL);

    assertThat(heard).as("nothing but the first").hasSize(1);
  }

  /** A rename brings the whole file, so there is nothing to wait for. */
  @Test
  @Conformance("A29-04")
  void rootsThatAreReplacedCountWithinASecond() throws IOException {
    writeAll();
    CertificateStore.Watch watch = watch(start());
    read();
    TestAuthority other = TestAuthority.named("other");

    TestIdentity.replace(roots, other.rootPem());
    second();

    assertThat(rootsOf(watch).certificates()).containsExactly(other.root());
  }

  @Test
  void aReadingThatThrowsDoesNotEndTheWatch() {
    var isBroken = new AtomicBoolean(true);
    var watcher =
        new PathWatcher<>(
            "files",
            loop,
            readings::add,
            () ->
                () -> {
                  if (isBroken.get()) {
                    throw new IndexOutOfBoundsException("Index 0 out of bounds for length 0");
                  }
                  return "read";
                },
            events::add);
    loop.inside(watcher::start);
    read();

    isBroken.set(false);
    second();

    assertThat(events).startsWith("read");
  }

  @Test
  void filesThatComeLaterAreTakenWithinASecond() throws IOException {
    CertificateStore store = start();
    CertificateStore.Watch watch = watch(store);
    read();

    String lack =
        "no certificates yet: certificate_file "
            + chain
            + " does not exist; ca_certificate_file "
            + roots
            + " does not exist";
    assertThat(watch.material())
        .isEqualTo(
            Outcome.failed(RpcStatus.unavailable("certificate provider \"default\": " + lack)));
    assertThat(events).containsExactly("default failed: " + lack);
    assertThat(view(store).loaded()).isEmpty();

    writeAll();
    second();
    assertThat(chainOf(watch.material())).isEqualTo(FIRST.chain());
    assertThat(view(store).error()).isEmpty();
  }

  /** Where the file system tells nothing, the interval decides. */
  @Test
  void whatLooksTheSameIsReadAgainAtTheInterval() throws IOException {
    Files.writeString(key, FIRST.keyPem());
    Files.writeString(chain, ofOneSize(AUTHORITY.issue(CertificateStoreTest::sameKey)));
    Files.writeString(roots, AUTHORITY.rootPem());
    FileTime time = Files.getLastModifiedTime(chain);
    CertificateStore.Watch watch = watch(start(Map.of("default", files(Duration.ofSeconds(60)))));
    read();
    Outcome<TlsMaterial> before = watch.material();

    Files.writeString(chain, ofOneSize(AUTHORITY.issue(CertificateStoreTest::sameKey)));
    Files.setLastModifiedTime(chain, time);
    for (int i = 0; i < 58; i++) {
      second();
    }
    assertThat(watch.material()).as("before the interval").isEqualTo(before);
    for (int i = 0; i < 3; i++) {
      second();
    }
    assertThat(watch.material()).isNotEqualTo(before);
    assertThat(heard).as("and not again, while nothing is new").hasSize(2);
  }

  private static CertificateBuilder sameKey(CertificateBuilder builder) {
    return builder.keyPair(FIRST.bundle().getKeyPair());
  }

  private static String ofOneSize(TestIdentity identity) {
    String pem = identity.chainPem();
    return pem + "\n".repeat(4000 - pem.length());
  }

  @Test
  @Conformance({"A87-01", "A29-09"})
  void aBundleMapIsUsedInsteadOfTheAuthoritiesAndReloaded() throws IOException {
    Path map = folder.resolve("map.json");
    Files.writeString(map, "{\"trust_domains\": {}}");
    TestIdentity.replace(roots, AUTHORITY.rootPem());
    var settings =
        new UpstreamTls(
            Optional.empty(), new TrustSource.Provider("spiffe"), List.of(), "", false, false);
    CertificateStore store =
        start(
            Map.of(
                "spiffe",
                new CertificateProvider.FileWatcher(
                    new CertificateFiles(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(roots.toString()),
                        Optional.of(map.toString()),
                        Duration.ofSeconds(600)))));
    CertificateStore.Watch watch = watch(store, settings);
    read();
    assertThat(rootsOf(watch)).isEqualTo(new Roots.SpiffeBundles(Map.of()));

    TestIdentity.replace(map, "{\"trust_domains\": {\"mesh\": {\"keys\": [{}]}}}");
    second();
    assertThat(rootsOf(watch)).isEqualTo(new Roots.SpiffeBundles(Map.of()));
    assertThat(view(store).error().orElseThrow()).contains("keys[0].use: is missing");

    TestIdentity.replace(map, "{\"trust_domains\": {\"mesh\": {\"keys\": []}}}");
    second();
    assertThat(rootsOf(watch)).isEqualTo(new Roots.SpiffeBundles(Map.of("mesh", List.of())));
  }

  private static Roots rootsOf(CertificateStore.Watch watch) {
    return watch.material().toOptional().orElseThrow().roots();
  }

  @Test
  void aProviderWithoutWhatAClusterAsksForSaysSo() throws IOException {
    TestIdentity.replace(roots, AUTHORITY.rootPem());
    CertificateStore store =
        start(
            Map.of(
                "default",
                new CertificateProvider.FileWatcher(
                    new CertificateFiles(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(roots.toString()),
                        Optional.empty(),
                        Duration.ofSeconds(600)))));
    CertificateStore.Watch watch = watch(store);
    read();

    assertThat(watch.material().status())
        .isEqualTo(
            RpcStatus.unavailable("certificate provider \"default\": has no certificate_file"));
    assertThat(watch(store, settings("lost")).material().status().message())
        .isEqualTo("certificate provider \"lost\": is not available");
  }

  @Test
  void anInstanceOfAnUnknownPluginIsShownWithTheReason() throws IOException {
    writeAll();
    CertificateStore store =
        start(
            Map.of(
                "default",
                files(Duration.ofSeconds(600)),
                "alien",
                new CertificateProvider.Unknown("hsm")));
    read();

    CertificateView.Provider view = view(store);

    assertThat(view.instance()).isEqualTo("alien");
    assertThat(view.plugin()).isEqualTo("hsm");
    assertThat(view.error()).contains("its plugin is not known here; use file_watcher");
    assertThat(watch(store, settings("alien")).material().status().message())
        .endsWith("its plugin is not known here; use file_watcher");
  }

  /** The identity ends ten hours after its beginning. */
  @Test
  @Conformance("A29-04")
  void theEndOfTheOwnIdentityIsToldBeforeAndWhenItComes() throws IOException {
    Instant begin = loop.now();
    write(issue(begin, begin.plus(Duration.ofHours(10))));
    TestIdentity.replace(roots, AUTHORITY.rootPem());
    CertificateStore store = start();
    read();
    String identity = "default failed: the identity of CN=workload of root ";

    loop.advance(Duration.ofHours(9).minusSeconds(1));
    read();
    assertThat(events).containsExactly("default loaded");
    loop.advance(Duration.ofSeconds(1));
    assertThat(events.get(1))
        .isEqualTo(identity + "ends at 2026-01-01T10:00:00Z and has not been renewed");
    assertThat(view(store).error()).isEmpty();
    loop.advance(Duration.ofHours(1));
    read();
    assertThat(events.get(2))
        .isEqualTo(
            identity + "has expired at 2026-01-01T10:00:00Z; peers refuse it until it is renewed");
    assertThat(view(store).error().orElseThrow()).contains("has expired at");
    loop.advance(Duration.ofHours(100));
    read();
    assertThat(events).hasSize(3);

    write(issue(loop.now(), loop.now().plus(Duration.ofHours(10))));
    second();
    assertThat(events).hasSize(4).last().isEqualTo("default loaded");
    assertThat(view(store).error()).isEmpty();
  }

  @Test
  @Conformance("A29-04")
  void theEndOfALongIdentityIsToldAWeekBefore() throws IOException {
    Instant begin = loop.now();
    write(issue(begin, begin.plus(Duration.ofDays(365))));
    TestIdentity.replace(roots, AUTHORITY.rootPem());
    start();
    read();

    loop.advance(Duration.ofDays(358).minusSeconds(1));
    assertThat(events).containsExactly("default loaded");
    loop.advance(Duration.ofSeconds(1));
    assertThat(events).hasSize(2).last().asString().endsWith("Z and has not been renewed");
  }

  /** As in grpc-go, the newest pair is used. */
  @Test
  @Conformance("A29-04")
  void anExpiredPairTakesThePlaceOfAValidOneWithAWarning() throws IOException {
    assertReplacesWithAWarning(
        issue(Instant.EPOCH, loop.now().minusSeconds(60)), SECOND_OF_TIME, "has expired at");
  }

  @Test
  @Conformance("A29-04")
  void aPairThatIsNotYetValidIsReportedUntilItsStart() throws IOException {
    TestIdentity early = issue(loop.now().plusSeconds(3600), loop.now().plusSeconds(36_000));
    CertificateStore store =
        assertReplacesWithAWarning(early, Duration.ofMinutes(40), "is not valid before");

    advance(Duration.ofMinutes(20));
    assertThat(view(store).error()).isEmpty();
    assertThat(events).hasSize(3);
    loop.advance(Duration.ofHours(9));
    assertThat(events).as("warnings before the end, and at it").hasSize(5);
  }

  /** Replaces a valid pair; expects the new pair in use, and one failure with the reason. */
  private CertificateStore assertReplacesWithAWarning(
      TestIdentity next, Duration after, String reason) throws IOException {
    writeAll();
    CertificateStore store = start();
    CertificateStore.Watch watch = watch(store);
    read();

    write(next);
    advance(after);

    assertThat(chainOf(watch.material())).isEqualTo(next.chain());
    assertThat(events).as("reported once").hasSize(3);
    assertThat(events.get(2)).startsWith("default failed: ").contains(reason);
    assertThat(view(store).error().orElseThrow()).contains(reason);
    return store;
  }

  /** Valid since a time before the one at which the loop's clock stands. */
  private static CertificateBuilder old(CertificateBuilder builder) {
    return builder.notBefore(Instant.EPOCH);
  }

  private static TestIdentity issue(Instant begin, Instant end) {
    return AUTHORITY.issue(builder -> builder.notBefore(begin).notAfter(end));
  }

  @Test
  void revocationListsAmongTheRootsAreTold() throws IOException {
    Files.writeString(roots, AUTHORITY.rootPem() + TestIdentity.pem("X509 CRL", new byte[9]));

    Roots.Authorities read =
        FileReading.read(() -> Roots.Authorities.read(roots.toString())).toOptional().orElseThrow();

    assertThat(read.certificates()).containsExactly(AUTHORITY.root());
    assertThat(read.note().orElseThrow())
        .startsWith("ca_certificate_file " + roots + " has 1 X509 CRL block, which are not used");
  }

  @Test
  @Conformance("A29-04")
  void aCheckFindsExpiredCertificates() throws IOException {
    write(issue(Instant.EPOCH, loop.now().minusSeconds(60)));
    TestAuthority other = TestAuthority.named("other");
    Files.writeString(roots, other.rootPem());
    CertificateFiles files =
        ((CertificateProvider.FileWatcher) files(Duration.ofSeconds(600))).files();

    CertificateCheck now = CertificateCheck.of(files, loop.now());
    assertThat(now.errors()).hasSize(1).first().asString().contains("has expired at 2025-12-31");
    Instant later = other.root().getNotAfter().toInstant();
    assertThat(CertificateCheck.of(files, later).errors())
        .hasSize(2)
        .last()
        .asString()
        .startsWith("the root CN=other has expired at ");
    assertThat(now.warnings()).isEmpty();
    assertThat(now.failure()).isEmpty();
  }

  @Test
  void nothingIsReadOrToldAfterTheEnd() throws IOException {
    writeAll();
    CertificateStore store = start();
    CertificateStore.Watch watch = watch(store);
    loop.inside(watch::close);
    read();
    assertThat(heard).as("of a watch that is closed").isEmpty();

    loop.advance(PathWatcher.PACE);
    loop.inside(store::close);
    read();
    loop.advance(Duration.ofHours(1));
    assertThat(readings).isEmpty();
    assertThat(loop.pendingTimers()).isZero();
  }

  @Test
  void peopleSeeCertificatesAndNeverKeys() throws IOException {
    writeAll();
    CertificateStore store = start();
    read();

    CertificateView.Provider view = view(store);

    assertThat(view.instance()).isEqualTo("default");
    assertThat(view.plugin()).isEqualTo("file_watcher");
    assertThat(view.certificates())
        .containsExactly(
            new CertificateView(
                "CN=workload of root",
                List.of("spiffe://mesh/a"),
                List.of("a"),
                FIRST.certificate().getSerialNumber().toString(16),
                FIRST.certificate().getNotBefore().toInstant(),
                FIRST.certificate().getNotAfter().toInstant()));
    assertThat(view.roots()).extracting(CertificateView::subject).containsExactly("CN=root");
    assertThat(view.loaded()).contains(loop.now());
    assertThat(view.expiry()).contains(FIRST.certificate().getNotAfter().toInstant());
    assertThat(view.error()).isEmpty();
  }

  @Test
  @Conformance("IST-05")
  void anIstioCaIsLackingUntilItsFirstCertificate() {
    CertificateProvider ca =
        new CertificateProvider.IstioCa(
            "istiod:15012",
            "/r",
            "/t",
            Optional.empty(),
            Duration.ofDays(1),
            Optional.empty(),
            "td");
    CertificateStore store = start(Map.of("files", files(Duration.ofSeconds(600)), "mesh", ca));
    readings.forEach(Runnable::run);
    loop.inside(
        () -> {
          String lack = "certificate provider \"mesh\": no certificates yet: they are being read";
          assertThat(store.lack(CertificateProvider.class)).hasValue(lack);
          assertThat(store.lack(CertificateProvider.IstioCa.class)).hasValue(lack);
        });

    istioCas.get(0).accept(Outcome.failed(RpcStatus.unavailable("refused")));
    readings.getLast().run();
    loop.run();

    loop.inside(
        () ->
            assertThat(store.lack(CertificateProvider.IstioCa.class))
                .hasValue("certificate provider \"mesh\": no certificates yet: refused"));
  }
}
