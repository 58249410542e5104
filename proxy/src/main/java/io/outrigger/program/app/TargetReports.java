package io.outrigger.program.app;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.LogLines;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.route.DefaultLimit;
import io.outrigger.observe.events.EventKind;
import io.outrigger.observe.events.EventLog;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports each change of the state of one target (configured, or failed with the reason) in the log
 * and as an event. Also warns when A31's default timeout limits calls of the target.
 */
@ControlConfined
public final class TargetReports {
  private static final Logger log = LoggerFactory.getLogger(TargetReports.class);

  private final EventLog events;
  private final String forward;
  private final String target;
  private final boolean ignoreRouteTimeout;
  private final LogLines lines;
  private boolean isReady;
  private Optional<String> failure = Optional.empty();

  /** Whether the default timeout limits calls. */
  private boolean isLimited;

  /** Whether the log says that the default timeout limits calls. */
  private boolean isLimitLogged;

  public TargetReports(EventLog events, String forward, String target, boolean ignoreRouteTimeout) {
    this.events = events;
    this.forward = forward;
    this.target = target;
    this.ignoreRouteTimeout = ignoreRouteTimeout;
    lines = events.lines();
  }

  void onReady(XdsConfig config) {
    failure = Optional.empty();
    if (!isReady) {
      isReady = true;
      events.add(EventKind.FORWARD_READY, forward, target, "configured");
      if (shouldLog()) {
        log.info("forward {}: {} is configured", forward, target);
      }
    }
    Optional<String> limit = DefaultLimit.warning(config, ignoreRouteTimeout);
    if (limit.isPresent()) {
      if (!isLimited) {
        events.add(EventKind.DEFAULT_TIMEOUT, forward, target, limit.get());
      }
      if (!isLimitLogged && shouldLog()) {
        isLimitLogged = true;
        log.warn("forward {}: {}: {}", forward, target, limit.get());
      }
    }
    isLimited = limit.isPresent();
    isLimitLogged &= isLimited;
  }

  void onFailure(RpcStatus status) {
    isReady = false;
    if (!failure.equals(Optional.of(status.message()))) {
      failure = Optional.of(status.message());
      events.add(EventKind.FORWARD_FAILED, forward, target, status.message());
      if (shouldLog()) {
        log.warn("forward {}: {} fails: {}", forward, target, status.message());
      }
    }
  }

  private boolean shouldLog() {
    return lines.shouldLog(
        () ->
            log.warn(
                "forward {}: {} changes often; until this minute ends, its changes are only in"
                    + " /events",
                forward,
                target));
  }
}
