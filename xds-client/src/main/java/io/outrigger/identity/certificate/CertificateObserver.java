package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;

/**
 * Hears what happens to the certificates of the bootstrap's providers, and as {@code system} to the
 * roots of the system; on the control loop.
 */
@ControlConfined
public interface CertificateObserver {
  /** Other certificates are in use from now on. */
  void onLoaded(String instance, String what);

  /**
   * The newest files cannot be used, and those before stay in use; or the certificate in use has
   * expired, or is about to.
   */
  void onFailed(String instance, String reason);
}
