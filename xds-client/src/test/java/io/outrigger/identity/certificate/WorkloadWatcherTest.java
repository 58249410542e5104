package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.WorkloadEndpoint;
import io.outrigger.identity.certificate.WorkloadResponse.Svid;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ScriptedRandom;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.FakeWorkloadApi;
import java.io.ByteArrayOutputStream;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WorkloadWatcherTest {
  private static final String ID = "spiffe://mesh/a";
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestAuthority OTHERS = TestAuthority.named("others");
  private static final TestIdentity FIRST = AUTHORITY.intermediate("issuing").issue("uri:" + ID);
  private static final TestIdentity SECOND = AUTHORITY.issue("uri:" + ID);
  private static final byte[] NOTHING = {};
  private static final byte[] GARBAGE = {1, 2, 3};
  private static final long NO_JITTER = 1L << 19;
  private static final Duration ALMOST_ONE_SECOND = Duration.ofMillis(999);
  private static final WorkloadEndpoint ENDPOINT =
      WorkloadEndpoint.parse("unix:///run/agent.sock").toOptional().orElseThrow();

  private final FakeControlLoop loop = new FakeControlLoop();
  private final ScriptedRandom random = new ScriptedRandom(1);
  private final FakeWorkloadApi api = new FakeWorkloadApi();
  private final List<String> heard = new ArrayList<>();
  private final WorkloadWatcher watcher = watcher(Optional.of(ENDPOINT));

  private WorkloadWatcher watcher(Optional<WorkloadEndpoint> endpoint) {
    return new WorkloadWatcher(
        loop,
        Runnable::run,
        random,
        api,
        endpoint,
        (before, now) -> heard.add(now + now.error().map(error -> " !" + error).orElse("")));
  }

  @AfterEach
  void noTimerIsLeft() {
    loop.inside(watcher::close);
    assertThat(loop.pendingTimers()).isZero();
  }

  @Conformance("SPW-01")
  @Test
  void anAnswerIsIdentityAndRoots() throws Exception {
    start();
    answer(new WorkloadResponse(Optional.of(svid(FIRST)), Map.of("spiffe://other", der(OTHERS))));

    CertificateSnapshot now = watcher.snapshot();
    assertThat(now.error()).isEmpty();
    assertThat(now.identity().orElseThrow().chain()).isEqualTo(FIRST.chain());
    assertThat(now.identity().orElseThrow().key()).isEqualTo(FIRST.key());
    assertThat(((Roots.SpiffeBundles) now.roots().orElseThrow()).byTrustDomain())
        .isEqualTo(Map.of("mesh", List.of(AUTHORITY.root()), "other", List.of(OTHERS.root())));
    assertThat(heard).hasSize(1);
  }

  @Conformance("SPW-01")
  @Test
  void eachAnswerTakesThePlaceOfTheOneBefore() throws Exception {
    start();
    answer(new WorkloadResponse(Optional.of(svid(FIRST)), Map.of("other", der(OTHERS))));
    loop.advance(WorkloadWatcher.PACE);
    assertThat(api.last().permitted()).isEqualTo(1);
    answer(new WorkloadResponse(Optional.of(svid(SECOND)), Map.of()));

    CertificateSnapshot now = watcher.snapshot();
    assertThat(now.identity().orElseThrow().chain()).isEqualTo(SECOND.chain());
    assertThat(((Roots.SpiffeBundles) now.roots().orElseThrow()).byTrustDomain())
        .containsOnlyKeys("mesh");
    assertThat(api.count()).isEqualTo(1);
  }

  static Stream<Arguments> broken() throws Exception {
    Svid good = svid(FIRST);
    return Stream.of(
        Arguments.of("svids of the Workload API unix:///run/agent.sock is empty", null, Map.of()),
        Arguments.of("spiffe_id", new Svid("", good.chain(), good.key(), good.bundle()), Map.of()),
        Arguments.of(
            "spiffe_id",
            new Svid("http://mesh/a", good.chain(), good.key(), good.bundle()),
            Map.of()),
        Arguments.of(
            "is not the certificate of spiffe://mesh/b",
            new Svid("spiffe://mesh/b", good.chain(), good.key(), good.bundle()),
            Map.of()),
        Arguments.of(
            "is not the certificate of " + ID,
            svid(AUTHORITY.issue("uri:" + ID, "uri:spiffe://mesh/b")),
            Map.of()),
        Arguments.of("x509_svid", new Svid(ID, GARBAGE, good.key(), good.bundle()), Map.of()),
        Arguments.of("x509_svid", new Svid(ID, NOTHING, good.key(), good.bundle()), Map.of()),
        Arguments.of("x509_svid_key", new Svid(ID, good.chain(), GARBAGE, good.bundle()), Map.of()),
        Arguments.of(
            "x509_svid_key of the Workload API unix:///run/agent.sock is not the key of x509_svid",
            new Svid(ID, good.chain(), SECOND.key().getEncoded(), good.bundle()),
            Map.of()),
        Arguments.of(
            "bundle of the Workload API unix:///run/agent.sock has no certificate; check what",
            new Svid(ID, good.chain(), good.key(), NOTHING),
            Map.of()),
        Arguments.of("bundle", new Svid(ID, good.chain(), good.key(), GARBAGE), Map.of()),
        Arguments.of("federated_bundles", good, Map.of("other", GARBAGE)),
        Arguments.of("is not of a trust domain", good, Map.of("Other!", NOTHING)));
  }

  @Conformance("SPW-01")
  @ParameterizedTest
  @MethodSource("broken")
  void anAnswerOfWhichAPartIsWrongChangesNothing(
      String reason, Svid svid, Map<String, byte[]> federated) throws Exception {
    start();
    answer(new WorkloadResponse(Optional.of(svid(SECOND)), Map.of()));
    loop.advance(WorkloadWatcher.PACE);
    CertificateSnapshot before = watcher.snapshot();

    answer(new WorkloadResponse(Optional.ofNullable(svid), federated));

    CertificateSnapshot now = watcher.snapshot();
    assertThat(now.hasSameAs(before)).isTrue();
    assertThat(now.loaded()).isEqualTo(before.loaded());
    assertThat(now.error().orElseThrow()).contains(reason);
    loop.advance(WorkloadWatcher.PACE);
    assertThat(api.last().permitted()).isEqualTo(1);
    assertThat(api.last().isClosed()).isFalse();
  }

  @Conformance("SPW-01")
  @Test
  void aFederatedDomainWithoutCertificatesIsTrustedInNothing() throws Exception {
    start();
    answer(new WorkloadResponse(Optional.of(svid(FIRST)), Map.of("other", NOTHING)));

    assertThat(
            ((Roots.SpiffeBundles) watcher.snapshot().roots().orElseThrow())
                .byTrustDomain()
                .get("other"))
        .isEmpty();
  }

  @Conformance("SPW-01")
  @Test
  void aCallThatEndsIsMadeAnewAfterTheBackOffAndTheLastSvidStaysInUse() throws Exception {
    random.next(Purpose.BACKOFF_JITTER, NO_JITTER, NO_JITTER, NO_JITTER);
    start();
    answer(new WorkloadResponse(Optional.of(svid(FIRST)), Map.of()));
    loop.advance(Duration.ofHours(1));

    end(RpcStatus.unavailable("it has ended the stream"));
    loop.run();
    assertThat(api.count()).isEqualTo(2); // the one before had lasted longer than the back-off
    assertThat(watcher.snapshot().identity().orElseThrow().chain()).isEqualTo(FIRST.chain());
    assertThat(watcher.snapshot().error().orElseThrow())
        .isEqualTo("the Workload API unix:///run/agent.sock: UNAVAILABLE: it has ended the stream");

    end(new RpcStatus(RpcStatus.Code.PERMISSION_DENIED, "no identity issued"));
    loop.advance(Duration.ofMillis(1_599));
    assertThat(api.count()).isEqualTo(2);
    loop.advance(Duration.ofMillis(1));
    assertThat(api.count()).isEqualTo(3);
    assertThat(watcher.snapshot().error().orElseThrow())
        .contains("no identity issued; register this workload with the agent");

    answer(new WorkloadResponse(Optional.of(svid(FIRST)), Map.of()));
    assertThat(watcher.snapshot().error()).isEmpty();
    end(RpcStatus.unavailable("once more"));
    loop.advance(ALMOST_ONE_SECOND);
    assertThat(api.count()).isEqualTo(3);
    loop.advance(Duration.ofMillis(1));
    assertThat(api.count()).isEqualTo(4);
  }

  @Conformance("SPW-01")
  @Test
  void clustersWait5SecondsForTheFirstAnswer() throws Exception {
    start();
    loop.advance(Duration.ofMillis(4_999));
    assertThat(watcher.snapshot().isUnread()).isTrue();
    loop.advance(Duration.ofMillis(1));

    assertThat(watcher.snapshot().lack())
        .isEqualTo(
            "no certificates yet: the Workload API unix:///run/agent.sock has not answered yet");
    answer(new WorkloadResponse(Optional.of(svid(FIRST)), Map.of()));
    assertThat(watcher.snapshot().error()).isEmpty();
  }

  /** Loading gRPC may take seconds on a machine in use, while the agent is well. */
  @Conformance("SPW-01")
  @Test
  void theTimeToLoadGrpcIsNoneOfThese5Seconds() {
    List<Runnable> tasks = new ArrayList<>();
    var slow =
        new WorkloadWatcher(
            loop, tasks::add, random, api, Optional.of(ENDPOINT), (before, now) -> {});
    loop.inside(slow::start);
    loop.advance(Duration.ofSeconds(6));
    tasks.forEach(Runnable::run);
    loop.advance(Duration.ofMillis(4_999));
    assertThat(slow.snapshot().isUnread()).isTrue();

    loop.advance(Duration.ofMillis(1));
    assertThat(slow.snapshot().lack()).endsWith("has not answered yet");
    loop.inside(slow::close);
  }

  @Conformance("SPW-01")
  @Test
  void aCallThatCannotBeOpenedIsAFailure() {
    api.onOpen(
        call -> {
          throw new IllegalStateException("on purpose");
        });
    start();

    assertThat(watcher.snapshot().lack())
        .contains("the call failed: class java.lang.IllegalStateException");
    loop.advance(Duration.ofMinutes(5));
    assertThat(api.count()).isGreaterThan(5);
  }

  @Conformance("SPW-01")
  @Test
  @SuppressWarnings("NullOptional") // makes the reading throw
  void aResponseWhoseReadingFailsIsAFailureAndTheNextOneCounts() throws Exception {
    start();
    answer(new WorkloadResponse(null, Map.of()));
    assertThat(watcher.snapshot().lack()).contains("a response cannot be read: class ");
    loop.advance(WorkloadWatcher.PACE);

    answer(new WorkloadResponse(Optional.of(svid(FIRST)), Map.of()));
    assertThat(watcher.snapshot().error()).isEmpty();
  }

  /** 600 pushes within 1.5 s, 40 each 100 ms. */
  @Conformance("SPW-01")
  @Test
  void ofManyPushesTheNewestIsInUseWithinASecond() throws Exception {
    start();
    for (int i = 0; i < 600; i++) {
      loop.advance(Duration.ofMillis(i % 40 == 0 ? 100 : 0));
      assertThat(api.last().permitted()).isEqualTo(1);
      answer(new WorkloadResponse(Optional.of(svid(i < 599 ? FIRST : SECOND)), Map.of()));
    }
    loop.advance(WorkloadWatcher.PACE);

    assertThat(watcher.snapshot().identity().orElseThrow().chain()).isEqualTo(SECOND.chain());
    loop.advance(WorkloadWatcher.PACE);
    assertThat(loop.pendingTimers()).as("nothing more to read").isZero();
  }

  @Conformance("SPW-01")
  @Test
  void anAgentInALoopIsReadTwiceASecond() throws Exception {
    start();
    int answers = 0;
    for (int i = 0; i < 10_000; i++) {
      while (api.last().permitted() > 0) {
        TestIdentity next = answers++ % 2 == 0 ? FIRST : SECOND;
        answer(new WorkloadResponse(Optional.of(svid(next)), Map.of()));
      }
      loop.advance(Duration.ofMillis(1));
    }

    assertThat(heard).hasSizeBetween(2, 21);
    assertThat(answers).isLessThanOrEqualTo(21 * WorkloadWatcher.BURST);
  }

  @Conformance("SPW-01")
  @Test
  void theLastAnswerBeforeTheEndCounts() throws Exception {
    random.next(Purpose.BACKOFF_JITTER, NO_JITTER);
    start();
    answer(new WorkloadResponse(Optional.of(svid(FIRST)), Map.of()));
    api.last().answer(new WorkloadResponse(Optional.of(svid(SECOND)), Map.of()));
    end(RpcStatus.unavailable("it has ended the stream"));

    assertThat(watcher.snapshot().identity().orElseThrow().chain()).isEqualTo(SECOND.chain());
  }

  @Conformance("SPW-01")
  @Test
  void aCallThatIsNeverAnsweredIsMadeAnew() throws Exception {
    start();
    FakeWorkloadApi.FakeCall silent = api.last();
    loop.advance(WorkloadWatcher.GIVE_UP.minusMillis(1));
    assertThat(silent.isClosed()).isFalse();

    loop.advance(Duration.ofMillis(1));

    assertThat(silent.isClosed()).isTrue();
    assertThat(api.count()).isEqualTo(2);
    assertThat(watcher.snapshot().error().orElseThrow()).contains("no answer within 60 s");
    silent.answer(new WorkloadResponse(Optional.of(svid(FIRST)), Map.of()));
    silent.end(RpcStatus.unavailable("closed"));
    loop.run();
    assertThat(watcher.snapshot().identity()).as("of a call that was given up").isEmpty();
    assertThat(api.count()).isEqualTo(2);

    answer(new WorkloadResponse(Optional.of(svid(SECOND)), Map.of()));
    loop.advance(Duration.ofDays(1));
    assertThat(watcher.snapshot().error()).isEmpty();
    assertThat(api.count()).as("one that has answered may be silent").isEqualTo(2);
  }

  @Conformance("SPW-01")
  @Test
  void anAgentThatIsAwayIsAskedAtLeastEveryHalfMinute() {
    random.next(Purpose.BACKOFF_JITTER, LongStream.generate(() -> NO_JITTER).limit(20).toArray());
    start();
    for (int i = 0; i < 20; i++) {
      int before = api.count();
      end(RpcStatus.unavailable("nobody there"));
      loop.advance(WorkloadWatcher.MAX_BACKOFF);
      assertThat(api.count()).isEqualTo(before + 1);
    }
  }

  @Test
  void withoutAnEndpointTheReasonIsTold() {
    WorkloadWatcher nowhere = watcher(Optional.empty());
    loop.inside(nowhere::start);

    assertThat(nowhere.snapshot().error()).contains("SPIFFE_ENDPOINT_SOCKET is not set");
    assertThat(api.count()).isZero();
  }

  @Test
  void whatComesAfterTheEndIsNotHeard() throws Exception {
    random.next(Purpose.BACKOFF_JITTER, NO_JITTER);
    start();
    FakeWorkloadApi.FakeCall call = api.last();
    loop.inside(watcher::close);
    assertThat(call.isClosed()).isTrue();

    call.answer(new WorkloadResponse(Optional.of(svid(FIRST)), Map.of()));
    call.end(RpcStatus.unavailable("closed"));
    loop.advance(Duration.ofMinutes(10));

    assertThat(heard).isEmpty();
    assertThat(api.count()).isEqualTo(1);
  }

  @Test
  void nothingOfTheKeyIsInAnyText() throws Exception {
    Svid svid = svid(FIRST);
    assertThat(svid).hasToString(ID);
    assertThat(new WorkloadResponse(Optional.of(svid), Map.of()).toString()).contains(ID);
  }

  private void start() {
    loop.inside(watcher::start);
  }

  private void answer(WorkloadResponse response) {
    loop.inside(() -> api.last().answer(response));
  }

  private void end(RpcStatus reason) {
    loop.inside(() -> api.last().end(reason));
  }

  private static Svid svid(TestIdentity identity) throws CertificateEncodingException {
    return new Svid(ID, der(identity.chain()), identity.key().getEncoded(), der(AUTHORITY));
  }

  private static byte[] der(TestAuthority authority) throws CertificateEncodingException {
    return der(List.of(authority.root()));
  }

  private static byte[] der(List<X509Certificate> certificates)
      throws CertificateEncodingException {
    var all = new ByteArrayOutputStream();
    for (X509Certificate each : certificates) {
      all.writeBytes(each.getEncoded());
    }
    return all.toByteArray();
  }
}
