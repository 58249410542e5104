package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;
import java.util.Optional;

/** A source of certificates, watched from {@link #start} to {@link #close}. */
@ControlConfined
sealed interface CertificateSource
    permits FileWatcher, WorkloadWatcher, IstioCaWatcher, CertificateSource.None {
  interface Listener {
    void onSnapshot(CertificateSnapshot before, CertificateSnapshot now);
  }

  CertificateSnapshot snapshot();

  void start();

  /**
   * Why another process has not provided an identity yet; empty when it has, or when the source
   * does not wait for another process.
   */
  default Optional<String> lack() {
    return Optional.empty();
  }

  void close();

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
