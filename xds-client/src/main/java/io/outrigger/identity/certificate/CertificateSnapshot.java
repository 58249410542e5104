package io.outrigger.identity.certificate;

import io.outrigger.base.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The certificates of a provider at one moment. After a failed read, only the field {@code error}
 * changes; the certificates in use stay in use (A29-04, A29-13).
 *
 * @param identity the identity; empty if none has been read, or the provider has only roots
 * @param roots the roots; empty if none have been read, or the provider has only an identity
 * @param loaded when the identity in use was read, or, without an identity, when the roots were
 *     read; empty before the first successful read
 * @param error the reason why the newest files are not in use; empty when they are in use
 */
public record CertificateSnapshot(
    Optional<Identity> identity,
    Optional<Roots> roots,
    Optional<Instant> loaded,
    Optional<String> error) {
  static final CertificateSnapshot NONE =
      new CertificateSnapshot(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  /** Returns a snapshot with the results of a reading, or this object if nothing has changed. */
  CertificateSnapshot after(FileReading reading, Instant now) {
    Optional<Identity> nextIdentity =
        reading.identity().flatMap(Outcome::toOptional).or(this::identity);
    Optional<Roots> nextRoots = reading.roots().flatMap(Outcome::toOptional).or(this::roots);
    boolean same =
        (identity.isPresent() || nextIdentity.isPresent())
            ? nextIdentity.equals(identity)
            : nextRoots.equals(roots);
    var next =
        new CertificateSnapshot(
            nextIdentity, nextRoots, same ? loaded : Optional.of(now), reading.failure());
    return next.equals(this) ? this : next;
  }

  boolean hasSameAs(CertificateSnapshot other) {
    return identity.equals(other.identity) && roots.equals(other.roots);
  }

  /** Whether this snapshot lacks a root of another snapshot, or has a shorter certificate chain. */
  boolean lacksSomeOf(CertificateSnapshot other) {
    boolean areRootsLost =
        !Set.copyOf(roots.map(Roots::certificates).orElse(List.of()))
            .containsAll(other.roots.map(Roots::certificates).orElse(List.of()));
    return areRootsLost || length(identity) < length(other.identity);
  }

  private static int length(Optional<Identity> identity) {
    return identity.map(own -> own.chain().size()).orElse(0);
  }

  boolean isUnread() {
    return loaded.isEmpty() && error.isEmpty();
  }

  String lack() {
    return loaded.isPresent() && error.isPresent()
        ? error.get()
        : "no certificates yet: " + error.orElse("they are being read");
  }

  @Override
  public String toString() {
    return Stream.of(
            identity.map(own -> own + " until " + own.expiry()), roots.map(Roots::toString))
        .flatMap(Optional::stream)
        .collect(Collectors.joining(", "));
  }
}
