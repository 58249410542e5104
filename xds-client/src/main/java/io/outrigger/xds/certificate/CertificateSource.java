package io.outrigger.xds.certificate;

import io.outrigger.base.ControlConfined;

/** Where certificates come from, followed from {@link #start} to {@link #close}. */
@ControlConfined
sealed interface CertificateSource permits FileWatcher, WorkloadWatcher {
  interface Listener {
    /** There is another snapshot; on the control loop. */
    void onSnapshot(CertificateSnapshot before, CertificateSnapshot now);
  }

  /** What there is now. */
  CertificateSnapshot snapshot();

  void start();

  /** The listener hears nothing more. */
  void close();
}
