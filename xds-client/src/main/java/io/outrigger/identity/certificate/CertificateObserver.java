package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;

/**
 * Is notified of changes to the certificates of the bootstrap's providers, and to the roots of the
 * system under the instance name {@code system}. Called on the control loop.
 */
@ControlConfined
public interface CertificateObserver {
  /** Called when other certificates are in use from now on. */
  void onLoaded(String instance, String what);

  /**
   * Called when the newest files cannot be used, in which case the previous certificates stay in
   * use; also when the certificate in use has expired or expires soon.
   */
  void onFailed(String instance, String reason);
}
