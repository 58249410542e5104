package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;

/**
 * Receives changes of the certificates of the bootstrap's providers, and of the system's roots. For
 * the system's roots, {@code instance} is {@code "system"}. Called on the control loop.
 */
@ControlConfined
public interface CertificateObserver {
  CertificateObserver NONE = new CertificateObserver() {};

  /** Called with a description of new certificates when they come into use. */
  default void onLoaded(String instance, String certificates) {}

  /**
   * Called when the newest files cannot be used, and the previous certificates stay in use. Also
   * called when the certificate in use is about to expire, and when it has expired.
   */
  default void onFailed(String instance, String reason) {}
}
