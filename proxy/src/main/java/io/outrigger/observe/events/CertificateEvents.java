package io.outrigger.observe.events;

import io.outrigger.base.ControlConfined;
import io.outrigger.identity.certificate.CertificateObserver;

/** Adds events about the certificates of the bootstrap's certificate providers. */
@ControlConfined
public record CertificateEvents(EventLog log) implements CertificateObserver {
  @Override
  public void onLoaded(String instance, String what) {
    log.add(EventKind.CERTIFICATE_LOADED, instance, "in use now: " + what);
  }

  @Override
  public void onFailed(String instance, String reason) {
    log.add(EventKind.CERTIFICATE_FAILED, instance, reason);
  }
}
