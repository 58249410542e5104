package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider.IstioCa;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ScriptedRandom;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.IstioCaServer;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@Conformance("IST-05")
class IstioCaWatcherTest {
  private static final String ID = "spiffe://cluster.local/ns/shop/sa/shop";
  private static final TestAuthority AUTHORITY = TestAuthority.named("mesh root");
  private static final TestAuthority OTHERS = TestAuthority.named("others");
  private static final Duration DAY = Duration.ofDays(1);
  private static final long NO_JITTER = 1L << 19;
  private static final IstioCa CA =
      new IstioCa("istiod:15012", "/root", "/token", Optional.empty(), DAY, Optional.empty(), "td");

  private record Asked(String csr, Consumer<Outcome<List<String>>> then) {}

  private final FakeControlLoop loop = new FakeControlLoop();
  private final ScriptedRandom random = new ScriptedRandom(1);
  private final List<Asked> asked = new ArrayList<>();
  private final List<String> heard = new ArrayList<>();
  private final IstioCaWatcher watcher =
      new IstioCaWatcher(
          loop,
          Runnable::run,
          random,
          (ca, request, now, then) -> asked.add(new Asked(request.apply(Optional.empty()), then)),
          CA,
          (before, now) -> heard.add(now + now.error().map(error -> " !" + error).orElse("")));

  private void start() {
    start(NO_JITTER);
  }

  private void start(long drawn) {
    random.next(Purpose.CERTIFICATE_RENEWAL, LongStream.generate(() -> drawn).limit(9).toArray());
    random.next(Purpose.BACKOFF_JITTER, LongStream.generate(() -> NO_JITTER).limit(2000).toArray());
    loop.inside(watcher::start);
  }

  private Asked last() {
    return asked.get(asked.size() - 1);
  }

  private List<String> chain(Duration life) {
    return IstioCaServer.chain(AUTHORITY, last().csr(), loop.now(), life, "uri:" + ID);
  }

  private void answer(List<String> chain) {
    last().then().accept(Outcome.ok(chain));
    loop.run();
  }

  private void fail(String reason) {
    last().then().accept(Outcome.failed(RpcStatus.unavailable(reason)));
    loop.run();
  }

  @AfterEach
  void noTimerIsLeft() {
    loop.inside(watcher::close);
    assertThat(loop.pendingTimers()).isZero();
  }

  @Test
  void anAnswerIsIdentityAndRoots() {
    start();
    assertThat(watcher.lack()).hasValue("no certificates yet: they are being read");

    answer(chain(DAY));

    CertificateSnapshot now = watcher.snapshot();
    assertThat(now.error()).isEmpty();
    assertThat(CertificateView.of(now.identity().orElseThrow().leaf()).uriSans())
        .containsExactly(ID);
    assertThat(now.roots().orElseThrow().certificates()).containsExactly(AUTHORITY.root());
    assertThat(watcher.lack()).isEmpty();
    assertThat(heard).hasSize(1);
  }

  @Test
  void chainsMayHaveIntermediatesAndSeveralRoots() {
    start();
    List<String> chain =
        new ArrayList<>(
            IstioCaServer.chain(
                AUTHORITY.intermediate("issuing", builder -> builder.notBefore(loop.now())),
                last().csr(),
                loop.now(),
                DAY,
                "uri:" + ID));
    chain.set(chain.size() - 1, OTHERS.rootPem() + AUTHORITY.rootPem());

    answer(chain);

    assertThat(watcher.snapshot().error()).isEmpty();
    assertThat(watcher.snapshot().identity().orElseThrow().chain()).hasSize(2);
    assertThat(watcher.snapshot().roots().orElseThrow().certificates())
        .containsExactly(OTHERS.root(), AUTHORITY.root());
  }

  @Test
  void eachRequestHasAFreshKeyOnP256() {
    start();
    var first = (ECPublicKey) IstioCaServer.publicKey(last().csr());
    answer(chain(DAY));
    loop.advance(DAY.dividedBy(2));

    assertThat(asked).hasSize(2);
    assertThat(first.getParams().getOrder().bitLength()).isEqualTo(256);
    assertThat(IstioCaServer.publicKey(last().csr())).isNotEqualTo(first);
  }

  @ParameterizedTest(name = "drawn {0} of 2^20: after {1}")
  @CsvSource({"0, PT11H45M36S", "524288, PT12H", "1048575, PT12H14M23.998S"})
  void aCertificateIsRenewedAtHalfOfItsLife(long drawn, Duration due) {
    start(drawn);
    answer(chain(DAY));

    loop.advance(due.minusMillis(1));
    assertThat(asked).hasSize(1);
    loop.advance(Duration.ofMillis(1));
    assertThat(asked).hasSize(2);
  }

  @Test
  void aVeryShortLifeAsksOnceASecond() {
    start();
    answer(chain(Duration.ofSeconds(1)));

    loop.advance(Duration.ofMillis(999));
    assertThat(asked).hasSize(1);
    loop.advance(Duration.ofMillis(1));
    assertThat(asked).hasSize(2);
  }

  @Test
  void failuresAreRepeatedAfterABackOffAndThePairStays() {
    start();
    answer(chain(DAY));
    CertificateSnapshot before = watcher.snapshot();
    loop.advance(DAY.dividedBy(2));

    for (double seconds :
        new double[] {1, 1.6, 2.56, 4.096, 6.5536, 10.48576, 16.777216, 26.8435456, 30, 30}) {
      Duration delay = Duration.ofNanos((long) (seconds * 1e9));
      int count = asked.size();
      fail("refused");
      assertThat(watcher.snapshot().hasSameAs(before)).isTrue();
      assertThat(watcher.snapshot().error()).hasValue("refused");
      loop.advance(delay.minusMillis(1));
      assertThat(asked).hasSize(count);
      loop.advance(Duration.ofMillis(1).plusNanos(1000));
      assertThat(asked).hasSize(count + 1);
    }
    answer(chain(DAY));
    assertThat(watcher.snapshot().error()).isEmpty();
    loop.advance(DAY.dividedBy(2));
    fail("refused again");
    int count = asked.size();
    loop.advance(Duration.ofSeconds(1)); // the back-off has begun anew
    assertThat(asked).hasSize(count + 1);
  }

  @Test
  void theBackOffBeginsWithTheFailure() {
    start();
    loop.advance(Duration.ofSeconds(3));
    fail("refused");

    loop.advance(Duration.ofMillis(999));
    assertThat(asked).hasSize(1);
    loop.advance(Duration.ofMillis(1));
    assertThat(asked).hasSize(2);
  }

  @Test
  void anExpiredCertificateIsDroppedAndTheRootsStay() {
    Instant started = loop.now();
    start();
    answer(chain(DAY));
    loop.advance(DAY.dividedBy(2));
    fail("the CA is gone");
    while (watcher.snapshot().identity().isPresent()) {
      loop.advance(Duration.ofSeconds(60));
      if (asked.size() > 2) {
        fail("the CA is gone");
        asked.remove(asked.size() - 1);
      }
    }

    assertThat(Duration.between(started, loop.now())).isEqualTo(DAY);
    CertificateSnapshot now = watcher.snapshot();
    assertThat(now.roots()).isPresent();
    assertThat(now.lack())
        .isEqualTo("the certificate has expired at 2026-01-02T00:00:00Z; the CA is gone");
    fail("the CA is still gone");
    assertThat(watcher.snapshot().lack())
        .isEqualTo("the certificate has expired at 2026-01-02T00:00:00Z; the CA is still gone");
    assertThat(watcher.lack()).isEmpty(); // there was one

    loop.advance(Duration.ofMinutes(1));
    answer(chain(DAY));
    assertThat(watcher.snapshot().identity()).isPresent();
    assertThat(watcher.snapshot().error()).isEmpty();
  }

  @Test
  void aCaThatDoesNotAnswerIsNamed() {
    start();
    loop.advance(IstioCaWatcher.FIRST_ANSWER);

    assertThat(watcher.lack())
        .hasValue("no certificates yet: the CA istiod:15012 has not answered yet");
    answer(chain(DAY));
    assertThat(watcher.snapshot().error()).isEmpty();
  }

  static Stream<Arguments> broken() {
    return Stream.of(
        wrong("cert_chain of the CA istiod:15012 has 0 elements", chain -> List.of()),
        wrong("has 1 elements; it must have", chain -> chain.subList(0, 1)),
        wrong(
            "cert_chain[0] of the CA istiod:15012 has no certificate",
            chain -> List.of("garbage", chain.get(1))),
        wrong(
            "cert_chain[1] of the CA istiod:15012 has no certificate",
            chain -> List.of(chain.get(0), "")),
        wrong(
            "cert_chain[0] of the CA istiod:15012 is for another key",
            chain -> List.of(AUTHORITY.issue("uri:" + ID).chainPem(), chain.get(1))),
        wrong(
            "cert_chain[0] of the CA istiod:15012 would be refused by every peer",
            chain -> List.of(chain.get(0), OTHERS.rootPem())));
  }

  private static Arguments wrong(String reason, UnaryOperator<List<String>> change) {
    return Arguments.of(reason, change);
  }

  @ParameterizedTest
  @MethodSource("broken")
  void aWrongAnswerChangesNothing(String reason, UnaryOperator<List<String>> change) {
    start();
    answer(chain(DAY));
    CertificateSnapshot before = watcher.snapshot();
    loop.advance(DAY.dividedBy(2));

    answer(change.apply(chain(DAY)));

    assertThat(watcher.snapshot().hasSameAs(before)).isTrue();
    assertThat(watcher.snapshot().error().orElseThrow()).contains(reason).doesNotContain("\n");
    loop.advance(Duration.ofSeconds(1));
    assertThat(asked).hasSize(3);
  }

  @Test
  void anExpiredAnswerIsRefused() {
    start();
    answer(
        IstioCaServer.chain(
            AUTHORITY, last().csr(), loop.now().minus(DAY), Duration.ofHours(23), "uri:" + ID));

    assertThat(watcher.snapshot().identity()).isEmpty();
    assertThat(watcher.snapshot().error())
        .hasValue("cert_chain[0] of the CA istiod:15012 has expired at 2025-12-31T23:00:00Z");
  }

  @Test
  void aCaWhoseClockIsAheadIsBelieved() {
    start();
    answer(
        IstioCaServer.chain(AUTHORITY, last().csr(), loop.now().plusSeconds(1), DAY, "uri:" + ID));

    assertThat(watcher.snapshot().error()).isEmpty();
  }

  @Test
  void nothingHappensAfterTheEnd() {
    start();
    List<String> late = chain(DAY);
    loop.inside(watcher::close);
    answer(late);
    loop.advance(DAY);

    assertThat(heard).isEmpty();
    assertThat(asked).hasSize(1);
  }

  @Test
  void theKeyIsNotPrinted() {
    SigningRequest request = SigningRequest.fresh();
    String key = TestIdentity.pem("", request.key().getEncoded()).substring(60, 100);

    assertThat(request + request.pem(Optional.empty())).doesNotContain(key);
  }
}
