package io.outrigger.xds.deps;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.Resources;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --dns-refresh}: names that are looked up again although no connection was lost. */
class DnsRefreshTest {
  private static final Duration REFRESH = Duration.ofSeconds(30);
  private static final long NO_JITTER = Duration.ofSeconds(3).toNanos(); // of 0 to 6 s
  private static final Duration TICK = Duration.ofMillis(1);

  private final Mesh mesh = new Mesh();

  private void start(Duration refresh) {
    mesh.loop.inside(mesh.manager.refreshNames(refresh)::start);
    mesh.set(Resources.listener("orders", "r1"))
        .set(Resources.routes("r1", "a"))
        .set(Resources.dns("a", "db.example", 443));
  }

  private void answer(Duration ttl, String... ips) {
    mesh.loop.inside(() -> mesh.dns.answer("db.example", ttl, ips));
  }

  private void expectNextLookupAfter(Duration interval) {
    mesh.dns.takeAsked();
    mesh.loop.advance(interval.minus(TICK));
    assertThat(mesh.dns.takeAsked()).as("before " + interval).isEmpty();
    mesh.loop.advance(TICK);
    assertThat(mesh.dns.takeAsked()).as("after " + interval).hasSize(1);
  }

  @Conformance("KN-09")
  @ParameterizedTest(name = "jitter {0} of 6 s, TTL {1}: {2}")
  @CsvSource({
    "PT0S,  PT5S,    PT27S",
    "PT3S,  PT0S,    PT30S",
    "PT6S,  PT5S,    PT33S",
    "PT0S,  PT29S,   PT29S",
    "PT3S,  PT2M,    PT2M",
    "PT3S,  PT5M,    PT5M",
    "PT3S,  PT24H,   PT5M",
  })
  void nameIsLookedUpAfterTheIntervalWithJitterButNotBeforeItsTtl(
      Duration jitter, Duration ttl, Duration interval) {
    mesh.random.next(Purpose.DNS_REFRESH, jitter.toNanos());
    start(REFRESH);

    answer(ttl, "10.0.0.1");

    expectNextLookupAfter(interval);
  }

  @Conformance("KN-09")
  @Test
  void newAddressesReplaceTheOldOnesAndAFailureChangesNothing() {
    mesh.random.next(Purpose.DNS_REFRESH, NO_JITTER, NO_JITTER);
    start(REFRESH);
    answer(Duration.ZERO, "10.0.0.1", "10.0.0.2");
    mesh.loop.advance(REFRESH);
    answer(Duration.ZERO, "10.0.0.2", "10.0.0.3");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.2", "10.0.0.3");

    mesh.loop.advance(REFRESH);
    mesh.loop.inside(() -> mesh.dns.fail("db.example", "SERVFAIL"));
    assertThat(mesh.ips("a")).containsExactly("10.0.0.2", "10.0.0.3");

    mesh.loop.advance(Duration.ofMillis(1200));
    answer(Duration.ZERO, "10.0.0.4");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.4");
  }

  @Conformance("KN-09")
  @Test
  void anAddressFamilyWhoseLookupFailsKeepsItsAddresses() {
    mesh.random.next(Purpose.DNS_REFRESH, NO_JITTER, NO_JITTER);
    start(REFRESH);
    answer(Duration.ZERO, "10.0.0.1", "::1");
    mesh.loop.advance(REFRESH);

    mesh.loop.inside(() -> mesh.dns.answerPartly("db.example", "::2"));

    assertThat(mesh.ips("a")).containsExactlyInAnyOrder("10.0.0.1", "::2");
    mesh.loop.advance(REFRESH);
    answer(Duration.ZERO, "::2");
    assertThat(mesh.ips("a")).containsExactly("::2");
  }

  @Conformance("KN-09")
  @Test
  void aLongOutageMakesNoIntervalLongerThanTheRefresh() {
    mesh.random.next(Purpose.DNS_REFRESH, LongStream.generate(() -> NO_JITTER).limit(20).toArray());
    start(REFRESH);
    answer(Duration.ZERO, "10.0.0.1");
    mesh.loop.advance(REFRESH);
    mesh.dns.takeAsked();

    for (int i = 0; i < 15; i++) {
      mesh.loop.inside(() -> mesh.dns.fail("db.example", "SERVFAIL"));
      mesh.loop.advance(REFRESH.plusSeconds(3));
      assertThat(mesh.dns.takeAsked()).as("after failure " + i).hasSize(1);
    }
  }

  @Conformance("KN-09")
  @Test
  void aLookupThatNeverAnswersIsAFailure() {
    mesh.random.next(Purpose.DNS_REFRESH, NO_JITTER);
    start(REFRESH);
    answer(Duration.ZERO, "10.0.0.1");
    mesh.loop.advance(REFRESH);

    mesh.loop.advance(DnsName.LOOKUP_TIMEOUT);

    assertThat(mesh.note("a")).isEqualTo("DNS name \"db.example:443\": no answer within 60 min");
    assertThat(mesh.dns.running()).as("cancelled").isZero();
    mesh.loop.advance(Duration.ofMillis(1200));
    answer(Duration.ZERO, "10.0.0.2");
    assertThat(mesh.ips("a")).containsExactly("10.0.0.2");
  }

  @Conformance("KN-09")
  @Test
  void rotatedAnswerPublishesNothing() {
    mesh.random.next(Purpose.DNS_REFRESH, NO_JITTER);
    start(REFRESH);
    answer(Duration.ZERO, "10.0.0.1", "10.0.0.2", "10.0.0.3");
    var before = mesh.leaf("a").endpoints().toOptional().orElseThrow();
    int published = mesh.held.size() + mesh.published.size();
    mesh.loop.advance(REFRESH);

    answer(Duration.ZERO, "10.0.0.3", "10.0.0.1", "10.0.0.2");

    assertThat(mesh.held.size() + mesh.published.size()).isEqualTo(published);
    assertThat(mesh.leaf("a").endpoints().toOptional().orElseThrow()).isSameAs(before);
  }

  @Conformance("KN-09")
  @Test
  void lostConnectionDoesNotDelayTheNextRefresh() {
    Duration second = Duration.ofSeconds(1);
    mesh.random.next(Purpose.DNS_REFRESH, Duration.ofMillis(100).toNanos());
    start(second);
    answer(Duration.ZERO, "10.0.0.1");
    mesh.loop.advance(second.dividedBy(2));

    mesh.loop.inside(mesh.manager::requestReresolution);

    expectNextLookupAfter(second.dividedBy(2));
  }

  @Conformance({"KN-09", "A37-05"})
  @Test
  void lostConnectionBringsALongRefreshForward() {
    mesh.random.next(Purpose.DNS_REFRESH, NO_JITTER);
    start(REFRESH);
    answer(Duration.ofMinutes(5), "10.0.0.1");
    mesh.loop.advance(Duration.ofSeconds(10));

    mesh.loop.inside(mesh.manager::requestReresolution);

    expectNextLookupAfter(Duration.ofSeconds(20));
    answer(Duration.ofMinutes(5), "10.0.0.1");
    assertThat(mesh.loop.pendingTimers()).as("the earlier refresh is cancelled").isOne();
  }

  @Conformance("KN-09")
  @Test
  void zeroMeansOnlyWhenAConnectionIsLost() {
    start(Duration.ZERO);

    answer(Duration.ZERO, "10.0.0.1");

    assertThat(mesh.loop.pendingTimers()).isZero();
  }

  @Test
  void closingEndsTheRefresh() {
    start(REFRESH);
    answer(Duration.ZERO, "10.0.0.1");

    mesh.loop.inside(mesh.manager::close);

    assertThat(mesh.loop.pendingTimers()).isZero();
  }
}
