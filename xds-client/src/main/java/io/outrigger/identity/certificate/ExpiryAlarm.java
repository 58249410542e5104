package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.TimerHandle;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Warns when the identity of a provider is about to expire, and again when it has expired. The
 * first warning comes when the last tenth of the identity's validity begins, at most a week before
 * the end. Identities are normally renewed before the first warning; an expired identity is
 * rejected by all servers.
 */
@ControlConfined
final class ExpiryAlarm {
  private static final Duration MAX_NOTICE = Duration.ofDays(7);

  /**
   * The interval between checks. Expiry depends on the wall clock, which may be changed at any
   * time.
   */
  private static final Duration CHECK_INTERVAL = Duration.ofMinutes(10);

  private final ControlLoop loop;
  private final Consumer<String> warn;
  private Optional<Identity> followed = Optional.empty();
  private TimerHandle next = () -> {};
  private boolean hasWarned;

  ExpiryAlarm(ControlLoop loop, Consumer<String> warn) {
    this.loop = loop;
    this.warn = warn;
  }

  void follow(Optional<Identity> identity) {
    if (!identity.equals(followed)) {
      followed = identity;
      hasWarned = false;
      next.cancel();
      identity.ifPresent(this::check);
    }
  }

  private void check(Identity identity) {
    Instant now = loop.now();
    Optional<String> ended = ended(identity, now);
    if (ended.isPresent()) {
      warn.accept(ended.get());
      return;
    }
    X509Certificate first = identity.firstToExpire();
    Instant end = first.getNotAfter().toInstant();
    Duration tenth = Duration.between(first.getNotBefore().toInstant(), end).dividedBy(10);
    Instant notice = end.minus(tenth.compareTo(MAX_NOTICE) < 0 ? tenth : MAX_NOTICE);
    if (!hasWarned && !now.isBefore(notice)) {
      hasWarned = true;
      warn.accept("the %s ends at %s and has not been renewed".formatted(identity, end));
    }
    Duration left = Duration.between(now, hasWarned ? end : notice);
    next =
        loop.schedule(
            left.compareTo(CHECK_INTERVAL) < 0 ? left : CHECK_INTERVAL, () -> check(identity));
  }

  /** Why servers reject {@code identity} at {@code now}; empty while it has not expired. */
  static Optional<String> ended(Identity identity, Instant now) {
    Instant end = identity.expiry();
    return now.isBefore(end)
        ? Optional.empty()
        : Optional.of(
            "the %s has expired at %s; servers refuse it until it is renewed"
                .formatted(identity, end));
  }

  void close() {
    next.cancel();
  }
}
