package io.outrigger.lb;

import io.outrigger.base.ControlConfined;

/** A subscription to the load reports of a backend, over one connection. */
@ControlConfined
public interface BackendMetricsStream {
  /** Ends the subscription; the listener is not called any more. */
  void close();

  /** Receives the load reports and the end of the subscription. */
  interface Listener {
    void onReport(BackendMetrics report);

    /**
     * Called when there will be no more reports. This method is called at most once, and is the
     * last call of the listener.
     *
     * @param unsupported whether the backend does not implement load reports, so that another
     *     subscription would fail too
     */
    void onEnded(boolean unsupported);
  }
}
