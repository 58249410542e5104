package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The chains that one set of roots has accepted. A peer usually presents the same chain with each
 * of its connections, and to verify it anew takes about a sixth of a handshake's CPU time (decision
 * xds-0083).
 *
 * <p>A chain is known by the SHA-256 digest of all its certificates in the order received, so a
 * chain that differs in one byte is verified anew. Whether a chain is accepted depends, apart from
 * the roots, on the time alone: a known chain counts only while each certificate of the path that
 * was found for it is valid.
 */
@AnyThread
final class AcceptedChains {
  /** The maximum number of chains, which take about 200 bytes each. */
  static final int MAX_CHAINS = 4096;

  /** The time in which all certificates of a path are valid; both ends belong to it. */
  private record Validity(Instant start, Instant end) {
    static Validity of(List<X509Certificate> path) {
      return new Validity(
          path.stream()
              .map(certificate -> certificate.getNotBefore().toInstant())
              .max(Comparator.naturalOrder())
              .orElseThrow(),
          path.stream()
              .map(certificate -> certificate.getNotAfter().toInstant())
              .min(Comparator.naturalOrder())
              .orElseThrow());
    }

    boolean includes(Instant time) {
      return !time.isBefore(start) && !time.isAfter(end);
    }
  }

  private final Map<ByteBuffer, Validity> byDigest = new ConcurrentHashMap<>();

  /** Whether this chain has been accepted, and its path is valid at {@code now}. */
  boolean contains(List<X509Certificate> chain, Instant now) {
    return digest(chain).map(byDigest::get).filter(known -> known.includes(now)).isPresent();
  }

  /**
   * Adds a chain. When there are too many chains, all others are forgotten.
   *
   * @param path the certificates of the chain that were verified, and their root
   */
  void add(List<X509Certificate> chain, List<X509Certificate> path) {
    if (byDigest.size() >= MAX_CHAINS) {
      byDigest.clear();
    }
    digest(chain).ifPresent(digest -> byDigest.put(digest, Validity.of(path)));
  }

  int size() {
    return byDigest.size();
  }

  private static Optional<ByteBuffer> digest(List<X509Certificate> chain) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (X509Certificate certificate : chain) {
        digest.update(certificate.getEncoded()); // DER, which says where a certificate ends
      }
      return Optional.of(ByteBuffer.wrap(digest.digest()));
    } catch (GeneralSecurityException notEncoded) { // the chain is verified each time
      return Optional.empty();
    }
  }
}
