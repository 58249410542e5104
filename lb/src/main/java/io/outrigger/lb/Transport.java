package io.outrigger.lb;

import io.outrigger.lb.state.TransportSecurity;
import java.time.Duration;
import java.util.Optional;

/** A live connection; what calls do with it is between the connector and the forwarder. */
public interface Transport {
  /** The TLS of its connections; empty in plain text. Any thread. */
  default Optional<TransportSecurity> security() {
    return Optional.empty();
  }

  /**
   * Asks the backend to report its load again and again (A51 "Out of Band Metrics Reporting").
   * Control loop.
   *
   * @param interval how often reports are requested; the backend may choose another interval
   * @param listener called on the control loop, never before this returns
   */
  BackendMetricsStream openBackendMetrics(
      Duration interval, BackendMetricsStream.Listener listener);
}
