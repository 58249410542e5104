package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A chain that was accepted is accepted again only where it would be if it was verified anew. */
class AcceptedChainsTest {
  private static final TestAuthority ROOT = TestAuthority.named("root");
  private static final TestAuthority ISSUING = ROOT.intermediate("issuing");
  private static final Instant NOW = Instant.now();

  private final TrustedRoots roots = trusting(PeerRole.SERVER, ROOT.certificate());

  private static TrustedRoots trusting(PeerRole role, X509Certificate... roots) {
    return new TrustedRoots(List.of(roots), role);
  }

  private static String objection(TrustedRoots roots, List<X509Certificate> chain, Instant now) {
    return roots
        .objection(chain, Optional.of(now))
        .map(CertificateRefusal::text)
        .orElse("accepted");
  }

  @Test
  void chainsAreKnownByAllTheirCertificates() {
    var accepted = new AcceptedChains();
    List<X509Certificate> chain = ISSUING.issue("dns:a").chain();
    accepted.add(chain, chain);

    assertThat(accepted.contains(List.copyOf(chain), NOW)).isTrue();
    assertThat(accepted.contains(chain.subList(0, 1), NOW)).isFalse();
    assertThat(accepted.contains(List.of(chain.get(1), chain.get(0)), NOW)).isFalse();
    assertThat(
            accepted.contains(Stream.concat(chain.stream(), Stream.of(chain.get(1))).toList(), NOW))
        .isFalse();
    assertThat(accepted.contains(ISSUING.issue("dns:a").chain(), NOW)).isFalse();
  }

  @Test
  void noMoreThanTheMaximumAreKnown() {
    var accepted = new AcceptedChains();
    List<X509Certificate> path = List.of(ROOT.certificate());
    for (int length = 1; length <= AcceptedChains.MAX_CHAINS; length++) {
      accepted.add(chainOf(length), path);
    }
    assertThat(accepted.size()).isEqualTo(AcceptedChains.MAX_CHAINS);

    accepted.add(chainOf(0), path);

    assertThat(accepted.size()).isEqualTo(1);
    assertThat(accepted.contains(chainOf(0), NOW)).isTrue();
  }

  /**
   * A chain that differs from those of other numbers: the digits of the number, as certificates.
   */
  private static List<X509Certificate> chainOf(int number) {
    return Integer.toBinaryString(number)
        .chars()
        .mapToObj(digit -> digit == '1' ? ROOT.certificate() : ISSUING.certificate())
        .toList();
  }

  @Test
  @Conformance("A29-03")
  void aKnownChainIsRefusedOnceACertificateOfItsPathHasEnded() {
    Instant end = NOW.plus(Duration.ofHours(1));
    TestAuthority early = ROOT.intermediate("early", builder -> builder.notAfter(end));
    TestAuthority earlyRoot = TestAuthority.named("early root", builder -> builder.notAfter(end));
    TestIdentity leaf = ISSUING.issue(builder -> builder.notAfter(end), "dns:a");

    for (List<X509Certificate> chain :
        List.of(early.issue("dns:a").chain(), leaf.chain(), earlyRoot.issue("dns:a").chain())) {
      TrustedRoots both = trusting(PeerRole.SERVER, ROOT.certificate(), earlyRoot.certificate());
      assertThat(objection(both, chain, NOW)).isEqualTo("accepted");
      assertThat(objection(both, chain, NOW)).isEqualTo("accepted");
      assertThat(objection(both, chain, end.plusSeconds(2))).contains("has expired at");
      assertThat(objection(both, chain, NOW.minus(Duration.ofDays(3650))))
          .contains("is not valid before");
    }
  }

  @Test
  @Conformance("A29-03")
  void aChainThatWasVerifiedWithoutDatesIsNotAcceptedOutOfDate() {
    TestIdentity expired =
        ISSUING.issue(builder -> builder.notAfter(NOW.minus(Duration.ofMinutes(1))), "dns:a");

    assertThat(roots.objection(expired.chain(), Optional.empty())).isEmpty();
    assertThat(objection(roots, expired.chain(), NOW)).contains("has expired at");
  }

  @Test
  @Conformance("A29-03")
  void otherRootsAndOtherRolesKnowNothingOfAChain() {
    TestIdentity server =
        ISSUING.issue(
            builder -> builder.addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_SERVER_AUTH), "dns:a");

    assertThat(objection(roots, server.chain(), NOW)).isEqualTo("accepted");
    assertThat(
            objection(
                trusting(PeerRole.SERVER, TestAuthority.named("root").certificate()),
                server.chain(),
                NOW))
        .contains("does not lead to a root");
    assertThat(objection(trusting(PeerRole.CLIENT, ROOT.certificate()), server.chain(), NOW))
        .contains("is not for clients");
  }

  @Test
  @Conformance("A29-03")
  void anotherChainOfAKnownLeafIsVerified() {
    List<X509Certificate> chain = ISSUING.issue("dns:a").chain();
    TestAuthority stranger = TestAuthority.named("stranger");

    assertThat(objection(roots, chain, NOW)).isEqualTo("accepted");
    assertThat(objection(roots, chain.subList(0, 1), NOW)).contains("does not lead to a root");
    assertThat(objection(roots, List.of(chain.get(0), stranger.certificate()), NOW))
        .contains("does not lead to a root");
  }
}
