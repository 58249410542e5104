package io.outrigger.dataplane.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.identity.certificate.CertificateObserver;
import io.outrigger.identity.certificate.CertificateStore;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.FakeWorkloadApi;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsContextsTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final UpstreamTls SETTINGS =
      new UpstreamTls(
          Optional.empty(), new TrustSource.Provider("default"), List.of(), "", false, false);

  private final FakeControlLoop loop = new FakeControlLoop();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final List<TlsContext> first = new ArrayList<>();
  private final List<TlsContext> second = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  @TempDir private Path folder;
  private TlsContexts contexts;
  private CertificateStore store;

  @BeforeEach
  void start() {
    store =
        new CertificateStore(
            loop,
            tasks::add,
            RandomSource.SYSTEM,
            new FakeWorkloadApi(),
            (ca, request, now, then) -> {},
            Optional.empty(),
            CertificateObserver.NONE);
    contexts = new TlsContexts(loop, tasks::add, store);
    var files =
        new CertificateFiles(
            Optional.empty(),
            Optional.empty(),
            Optional.of(folder.resolve("roots.pem").toString()),
            Optional.empty(),
            Duration.ofSeconds(600));
    loop.inside(() -> store.start(Map.of("default", new CertificateProvider.FileWatcher(files))));
  }

  private void write(TestAuthority authority) throws IOException {
    TestIdentity.replace(folder.resolve("roots.pem"), authority.rootPem());
  }

  private Runnable use(List<TlsContext> heard) {
    var use = new ArrayList<Runnable>();
    loop.inside(() -> use.add(contexts.use(SETTINGS, context -> note(context, heard))));
    return use.get(0);
  }

  private void note(Outcome<TlsContext> context, List<TlsContext> heard) {
    context.match(heard::add, (RpcStatus reason) -> failures.add(reason.message()));
  }

  /** Time passes in which files are looked at, and all work is done. */
  private void pass(Duration time) {
    for (int i = 0; i < 10; i++) {
      loop.advance(time.dividedBy(10));
      while (!tasks.isEmpty()) {
        tasks.remove().run();
        loop.run();
      }
    }
  }

  @Conformance("A29-20")
  @Test
  void equalSettingsShareOneContextAndARotationMakesOneMore() throws Exception {
    write(AUTHORITY);
    pass(Duration.ofSeconds(1));
    use(first);
    use(second);
    pass(Duration.ofSeconds(1));
    assertThat(first).hasSize(1);
    assertThat(second).containsExactlyElementsOf(first);

    write(TestAuthority.named("another root"));
    pass(Duration.ofSeconds(2));

    assertThat(first).hasSize(2).doesNotHaveDuplicates();
    assertThat(second).containsExactlyElementsOf(first);
  }

  @Conformance("A29-14")
  @Test
  void whoAsksAtTheStartWaitsForTheFirstReading() throws Exception {
    write(AUTHORITY);
    use(first);
    loop.run();
    assertThat(failures).isEmpty();

    pass(Duration.ofSeconds(1));

    assertThat(first).hasSize(1);
    assertThat(failures).isEmpty();
  }

  @Test
  void aReadingThatDoesNotEndIsNotWaitedForLongerThanSeconds() {
    use(first);
    loop.advance(TlsContexts.FIRST_READING.minusMillis(1));
    assertThat(failures).isEmpty();

    loop.advance(Duration.ofMillis(1));

    assertThat(failures).singleElement().asString().contains("they are being read");
  }

  @Conformance("A29-14")
  @Test
  void withoutCertificatesTheReasonIsToldAndLaterTheContext() throws Exception {
    pass(Duration.ofSeconds(1));
    use(first);
    pass(Duration.ofSeconds(1));
    assertThat(failures).last().asString().contains("roots.pem does not exist");

    write(AUTHORITY);
    pass(Duration.ofSeconds(2));

    assertThat(first).hasSize(1);
  }

  @Test
  void whoHasLeftHearsNothing() throws Exception {
    Runnable use = use(first);
    loop.inside(use);
    loop.inside(use); // harmless
    write(AUTHORITY);
    pass(Duration.ofSeconds(2));

    assertThat(first).isEmpty();
  }

  @Test
  void aContextIsKeptForTheNextAttemptAndNotForEver() throws Exception {
    write(AUTHORITY);
    pass(Duration.ofSeconds(1));
    Runnable use = use(first);
    pass(Duration.ofSeconds(1));
    loop.inside(use);
    pass(Duration.ofMinutes(1));
    Runnable next = use(second);
    pass(Duration.ofSeconds(1));
    assertThat(second).containsExactlyElementsOf(first);

    loop.inside(next);
    pass(Duration.ofMinutes(10));
    use(second);
    pass(Duration.ofSeconds(1));
    assertThat(second).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void noTimerOutlivesItsReason() throws Exception {
    write(AUTHORITY);
    Runnable use = use(first);
    pass(Duration.ofSeconds(1));
    assertThat(first).hasSize(1);
    assertThat(loop.pendingTimers()).as("only the file is watched").isEqualTo(1);

    for (int i = 0; i < 10; i++) { // as endpoints come and go
      loop.inside(use);
      use = use(second);
    }

    assertThat(loop.pendingTimers()).as("the context is in use").isEqualTo(1);
    pass(Duration.ofMinutes(4));
    use(second);
    pass(Duration.ofSeconds(1));
    assertThat(second).as("the context stayed").containsOnly(first.get(0));
  }
}
