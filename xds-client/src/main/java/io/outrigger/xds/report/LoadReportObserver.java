package io.outrigger.xds.report;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import java.time.Duration;

/** Hears how load reports to servers fare. On the control loop. */
@ControlConfined
public interface LoadReportObserver {
  LoadReportObserver NONE = new LoadReportObserver() {};

  /** The server answered for the first time, or for the first time since an outage. */
  default void onReportsAsked(String server, Duration interval) {}

  /** The server does not take reports: said once, however often it is tried. */
  default void onReportsFailed(String server, RpcStatus reason) {}
}
