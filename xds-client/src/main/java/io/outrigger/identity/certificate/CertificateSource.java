package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;
import java.util.Optional;

/** A source of certificates, watched from {@link #start} to {@link #close}. */
@ControlConfined
abstract sealed class CertificateSource
    permits FileWatcher, WorkloadWatcher, IstioCaWatcher, CertificateSource.None {
  interface Listener {
    void onSnapshot(CertificateSnapshot before, CertificateSnapshot now);
  }

  private final Listener listener;
  private CertificateSnapshot snapshot = CertificateSnapshot.NONE;

  CertificateSource(Listener listener) {
    this.listener = listener;
  }

  final CertificateSnapshot snapshot() {
    return snapshot;
  }

  /** Puts a snapshot into use if it differs from the current snapshot. */
  final void publish(CertificateSnapshot now) {
    CertificateSnapshot before = snapshot;
    if (!now.equals(before)) {
      snapshot = now;
      listener.onSnapshot(before, now);
    }
  }

  abstract void start();

  /**
   * Returns why a CA or the agent of the Workload API has not provided the identity yet; empty if
   * the identity exists, or if the source reads files.
   */
  Optional<String> lack() {
    return Optional.empty();
  }

  abstract void close();

  static final class None extends CertificateSource {
    None(String reason) {
      super((before, now) -> {});
      publish(
          new CertificateSnapshot(
              Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(reason)));
    }

    @Override
    void start() {}

    @Override
    void close() {}
  }
}
