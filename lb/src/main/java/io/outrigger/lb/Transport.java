package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.state.TransportSecurity;
import java.time.Duration;
import java.util.Optional;

/** A live connection. Policies cannot send calls on a transport; only the forwarder can. */
public interface Transport {
  /**
   * The TLS properties of the connection; empty for plain text. Any thread may call this method.
   */
  default Optional<TransportSecurity> security() {
    return Optional.empty();
  }

  /**
   * Subscribes to periodic load reports of the backend (A51 "Out of Band Metrics Reporting"). This
   * method must run on the control loop.
   *
   * @param interval the requested interval between reports; the backend may choose a different
   *     interval
   * @param listener called on the control loop, never before this method returns
   */
  BackendMetricsStream openBackendMetrics(
      Duration interval, BackendMetricsStream.Listener listener);

  /** A subscription to the load reports of a backend, over one connection. */
  @ControlConfined
  interface BackendMetricsStream {
    /** Ends the subscription; the listener is not called any more. */
    void close();

    interface Listener {
      void onReport(BackendMetrics report);

      /**
       * Called at most once, when no more reports will arrive, as the listener's last method call.
       *
       * @param unsupported whether the backend does not implement load reports, so that another
       *     subscription would fail too
       */
      void onEnded(boolean unsupported);
    }
  }
}
