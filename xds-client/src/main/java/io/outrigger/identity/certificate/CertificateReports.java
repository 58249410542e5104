package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the changes of one source of certificates, and warns before its identity expires. */
@ControlConfined
final class CertificateReports implements CertificateSource.Listener {
  private static final Logger log = LoggerFactory.getLogger(CertificateReports.class);

  private final String subject;
  private final Consumer<String> onLoaded;
  private final Consumer<String> onFailed;
  private final ExpiryAlarm alarm;

  /**
   * @param subject the first words of log lines
   * @param onLoaded receives a description of other certificates that are in use from now on
   * @param onFailed receives each failure and each warning of expiry
   */
  CertificateReports(
      ControlLoop loop, String subject, Consumer<String> onLoaded, Consumer<String> onFailed) {
    this.subject = subject;
    this.onLoaded = onLoaded;
    this.onFailed = onFailed;
    this.alarm = new ExpiryAlarm(loop, this::warn);
  }

  @Override
  public void onSnapshot(CertificateSnapshot before, CertificateSnapshot now) {
    boolean hasEnded = before.identity().isPresent() && now.identity().isEmpty();
    if (!hasEnded && !now.hasSameAs(before)) {
      log.info("{}: in use now: {}", subject, now);
      onLoaded.accept(now.toString());
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
    alarm.follow(now.identity());
  }

  private void warn(String reason) {
    log.warn("{}: {}", subject, reason);
    onFailed.accept(reason);
  }

  void close() {
    alarm.close();
  }
}
