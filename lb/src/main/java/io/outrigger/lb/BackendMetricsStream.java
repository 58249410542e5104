package io.outrigger.lb;

import io.outrigger.base.ControlConfined;

/** A request for load reports that is under way. */
@ControlConfined
public interface BackendMetricsStream {
  /** Ends the request; the listener is not called any more. */
  void close();

  /** Receives the reports and the end of the request. */
  interface Listener {
    void onReport(BackendMetrics report);

    /**
     * There will be no more reports. Once, and the last call.
     *
     * @param unsupported the backend does not know such requests: another one is of no use
     */
    void onEnded(boolean unsupported);
  }
}
