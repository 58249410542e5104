package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.PathWatcher;
import io.outrigger.base.RandomSource;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.FakeWorkloadApi;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The roots of the system as clusters of a store have them; readings run when a test lets them. */
class SystemRootsTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestAuthority STRANGER = TestAuthority.named("another root");
  private static final String STORE_OF_JVM = "javax.net.ssl.trustStore";

  private final FakeControlLoop loop = new FakeControlLoop();
  private final Deque<Runnable> readings = new ArrayDeque<>();
  private final List<String> events = new ArrayList<>();
  private final List<Outcome<TlsMaterial>> heard = new ArrayList<>();
  private final Path roots;

  SystemRootsTest(@TempDir Path folder) {
    roots = folder.resolve("roots.pem");
  }

  private CertificateStore store(Optional<String> file) {
    return new CertificateStore(
        loop,
        readings::add,
        RandomSource.SYSTEM,
        new FakeWorkloadApi(),
        (ca, request, now, then) -> {},
        file,
        new CertificateObserver() {
          @Override
          public void onLoaded(String instance, String what) {
            events.add(instance + " loaded");
          }

          @Override
          public void onFailed(String instance, String reason) {
            events.add(instance + " failed: " + reason);
          }
        });
  }

  private CertificateStore.Watch watch(CertificateStore store) {
    var settings =
        new UpstreamTls(
            Optional.empty(), new TrustSource.SystemRoots(), List.of(), "", false, false);
    List<CertificateStore.Watch> watch = new ArrayList<>();
    loop.inside(() -> watch.add(store.watch(settings, heard::add)));
    return watch.get(0);
  }

  private void read() {
    while (!readings.isEmpty()) {
      readings.remove().run();
      loop.run();
    }
  }

  /** A second passes in which files are looked at as often as the watcher likes. */
  private void second() {
    for (int i = 0; i < 10; i++) {
      loop.advance(Duration.ofMillis(100));
      read();
    }
  }

  private static Roots rootsOf(CertificateStore.Watch watch) {
    return watch.material().toOptional().orElseThrow().roots();
  }

  @Test
  @Conformance("A29-09")
  void theyAreReadWhenAClusterAsksForThem() {
    CertificateStore store = store(Optional.empty());
    loop.inside(() -> store.start(Map.of()));
    assertThat(readings).isEmpty();

    CertificateStore.Watch watch = watch(store);
    assertThat(watch.material().status().message())
        .isEqualTo("the roots of the system are being read");
    read();

    assertThat(rootsOf(watch).certificates()).isNotEmpty();
    assertThat(heard).hasSize(1);
  }

  @Test
  @Conformance("A29-09")
  void theEnvironmentMayNameAFileOfRoots() throws IOException {
    TestIdentity.replace(roots, AUTHORITY.rootPem());
    for (String path : List.of(roots.toString(), "/no/such.pem")) {
      CertificateStore.Watch watch = watch(store(Optional.of(path)));
      read();

      assertThat(
              watch
                  .material()
                  .<Object>match(
                      material -> material.roots().certificates(), status -> status.message()))
          .isEqualTo(
              path.equals("/no/such.pem")
                  ? "SSL_CERT_FILE /no/such.pem does not exist"
                  : List.of(AUTHORITY.root()));
    }
  }

  /** As a provider's: within a second where the file system tells. */
  @Test
  @Conformance({"A29-04", "A29-09"})
  void theyFollowTheirFile() throws IOException {
    TestIdentity.replace(roots, AUTHORITY.rootPem());
    CertificateStore.Watch watch = watch(store(Optional.of(roots.toString())));
    read();
    heard.clear();

    second();
    assertThat(heard).as("as long as the file is the same").isEmpty();

    TestIdentity.replace(roots, STRANGER.rootPem());
    second();

    assertThat(rootsOf(watch).certificates()).containsExactly(STRANGER.root());
    assertThat(heard).hasSize(1);
    assertThat(events).containsExactly("system loaded", "system loaded");
  }

  @Test
  @Conformance({"A29-04", "A29-09"})
  void theyStayWhileTheirFileCannotBeRead() throws IOException {
    TestIdentity.replace(roots, AUTHORITY.rootPem());
    CertificateStore.Watch watch = watch(store(Optional.of(roots.toString())));
    read();

    TestIdentity.replace(roots, "no PEM");
    second();

    assertThat(rootsOf(watch).certificates()).containsExactly(AUTHORITY.root());
    assertThat(events)
        .last()
        .asString()
        .startsWith("system failed: SSL_CERT_FILE " + roots + " has no certificate");

    TestIdentity.replace(roots, STRANGER.rootPem());
    second();
    assertThat(rootsOf(watch).certificates()).containsExactly(STRANGER.root());
  }

  @Test
  @Conformance({"A29-09", "A29-14"})
  void thoseThatComeLaterAreWaitedFor() throws IOException {
    CertificateStore.Watch watch = watch(store(Optional.of(roots.toString())));
    read();
    assertThat(watch.material().status().message())
        .isEqualTo("SSL_CERT_FILE " + roots + " does not exist");

    TestIdentity.replace(roots, AUTHORITY.rootPem());
    second();

    assertThat(rootsOf(watch).certificates()).containsExactly(AUTHORITY.root());
  }

  @Test
  @Conformance("A29-09")
  void anEmptyVariableIsAnUnsetOne() throws Exception {
    assertThat(new SystemRoots(Optional.of(""))).isEqualTo(new SystemRoots(Optional.empty()));
    assertThat(new SystemRoots(Optional.of("")).authorities().certificates()).isNotEmpty();
  }

  /** However many clusters ask: one look at a time, and none of the content without a change. */
  @Test
  void theyCostOneLookAtATime() throws IOException {
    TestIdentity.replace(roots, AUTHORITY.rootPem());
    CertificateStore store = store(Optional.of(roots.toString()));
    for (int i = 0; i < 100; i++) {
      watch(store);
    }
    assertThat(readings).hasSize(1);
    read();

    loop.advance(PathWatcher.PACE);
    assertThat(readings).hasSize(1);
    loop.advance(Duration.ofHours(1));
    assertThat(readings).as("while a look hangs").hasSize(1);

    loop.inside(store::close);
    read();
    loop.advance(Duration.ofHours(1));
    assertThat(readings).isEmpty();
    assertThat(loop.pendingTimers()).isZero();
  }

  private static void writeStore(Path file, TestAuthority authority, int number) throws Exception {
    KeyStore store = KeyStore.getInstance("JKS");
    store.load(null, null);
    store.setCertificateEntry("root", authority.root());
    Path fresh = file.resolveSibling("cacerts.new");
    try (OutputStream out = Files.newOutputStream(fresh)) {
      store.store(out, "changeit".toCharArray());
    }
    Files.setLastModifiedTime(fresh, FileTime.from(Instant.ofEpochSecond(1_000_000L + number)));
    Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  @Conformance({"A29-04", "A29-09"})
  void thoseOfTheJvmFollowItsTrustStore() throws Exception {
    String before = System.getProperty(STORE_OF_JVM);
    Path file = roots.resolveSibling("cacerts");
    writeStore(file, AUTHORITY, 1);
    System.setProperty(STORE_OF_JVM, file.toString());
    try {
      CertificateStore.Watch watch = watch(store(Optional.empty()));
      read();
      assertThat(rootsOf(watch).certificates()).containsExactly(AUTHORITY.root());

      writeStore(file, STRANGER, 2);
      second();

      assertThat(rootsOf(watch).certificates()).containsExactly(STRANGER.root());
    } finally {
      if (before == null) {
        System.clearProperty(STORE_OF_JVM);
      } else {
        System.setProperty(STORE_OF_JVM, before);
      }
    }
  }
}
