package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;

/**
 * Receives changes of the providers' certificates and of the system's roots, on the control loop.
 * The {@code instance} is the provider's name, or {@code "system"} for the system's roots.
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
