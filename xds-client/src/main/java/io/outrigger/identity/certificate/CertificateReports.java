package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.TimerHandle;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the changes of one source of certificates. Warns before the source's identity expires, and
 * while the identity is not valid. The first warning is logged when a tenth of the identity's
 * validity remains, but no earlier than a week before the expiry. An identity is normally renewed
 * before the first warning.
 */
@ControlConfined
final class CertificateReports implements CertificateSource.Listener {
  private static final Logger log = LoggerFactory.getLogger(CertificateReports.class);
  private static final Duration MAX_NOTICE = Duration.ofDays(7);

  /** Validity is checked periodically, because one timer would miss changes of the wall clock. */
  private static final Duration CHECK_INTERVAL = Duration.ofMinutes(10);

  private final ControlLoop loop;
  private final String subject;
  private final String instance;
  private final CertificateObserver observer;
  private TimerHandle nextCheck = () -> {};

  /**
   * @param subject the beginning of each log line
   */
  CertificateReports(
      ControlLoop loop, String subject, String instance, CertificateObserver observer) {
    this.loop = loop;
    this.subject = subject;
    this.instance = instance;
    this.observer = observer;
  }

  @Override
  public void onSnapshot(CertificateSnapshot before, CertificateSnapshot now) {
    boolean hasEnded = before.identity().isPresent() && now.identity().isEmpty();
    if (!hasEnded && !now.hasSameAs(before)) {
      log.info("{}: in use now: {}", subject, now);
      observer.onLoaded(instance, now.toString());
    }
    if (now.error().isPresent() && !now.error().equals(before.error())) {
      warn(now.lack());
    } else if (now.error().isEmpty() && before.error().isPresent()) {
      log.info("{}: the newest certificates are in use", subject);
    }
    Optional<String> note = now.roots().flatMap(Roots::note);
    if (!note.equals(before.roots().flatMap(Roots::note))) {
      note.ifPresent(text -> log.warn("{}: {}", subject, text));
    }
    if (!now.identity().equals(before.identity())) {
      nextCheck.cancel();
      now.identity().ifPresent(identity -> checkValidity(identity, Optional.empty()));
    }
  }

  private void checkValidity(Identity identity, Optional<String> lastWarning) {
    Instant now = loop.now();
    X509Certificate first = identity.firstToExpire();
    Instant end = first.getNotAfter().toInstant();
    Duration tenth = Duration.between(first.getNotBefore().toInstant(), end).dividedBy(10);
    Instant notice = end.minus(tenth.compareTo(MAX_NOTICE) < 0 ? tenth : MAX_NOTICE);
    Optional<String> warning = identity.invalidity(now);
    if (warning.isEmpty() && !now.isBefore(notice)) {
      warning = Optional.of("the %s ends at %s and has not been renewed".formatted(identity, end));
    }
    if (!warning.equals(lastWarning)) {
      warning.ifPresent(this::warn);
    }
    Optional<String> newest = warning;
    Stream.of(identity.start(), notice, end)
        .filter(now::isBefore)
        .map(next -> Duration.between(now, next))
        .min(Duration::compareTo)
        .ifPresent(
            left ->
                nextCheck =
                    loop.schedule(
                        left.compareTo(CHECK_INTERVAL) < 0 ? left : CHECK_INTERVAL,
                        () -> checkValidity(identity, newest)));
  }

  private void warn(String reason) {
    log.warn("{}: {}", subject, reason);
    observer.onFailed(instance, reason);
  }

  void close() {
    nextCheck.cancel();
  }
}
