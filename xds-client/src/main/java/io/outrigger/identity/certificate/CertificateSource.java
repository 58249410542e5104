package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;
import java.util.Optional;

/** Where certificates come from, followed from {@link #start} to {@link #close}. */
@ControlConfined
sealed interface CertificateSource permits FileWatcher, WorkloadWatcher, CertificateSource.None {
  interface Listener {
    /** There is another snapshot; on the control loop. */
    void onSnapshot(CertificateSnapshot before, CertificateSnapshot now);
  }

  /** What there is now. */
  CertificateSnapshot snapshot();

  void start();

  /** The listener is not called again. */
  void close();

  /** A source that has no certificates, for a reason that stays. */
  record None(CertificateSnapshot snapshot) implements CertificateSource {
    None(String reason) {
      this(
          new CertificateSnapshot(
              Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(reason)));
    }

    @Override
    public void start() {}

    @Override
    public void close() {}
  }
}
