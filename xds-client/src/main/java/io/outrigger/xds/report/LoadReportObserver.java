package io.outrigger.xds.report;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import java.time.Duration;

/** Receives the successes and failures of load reports to servers, on the control loop. */
@ControlConfined
public interface LoadReportObserver {
  /**
   * Called when the server requests reports for the first time, or for the first time after an
   * outage.
   */
  default void onReportsAsked(String server, Duration interval) {}

  /**
   * Called once per outage when the server does not accept reports, regardless of the number of
   * attempts.
   */
  default void onReportsFailed(String server, RpcStatus reason) {}
}
