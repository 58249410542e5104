package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Count;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the log lines about one control plane. */
@ControlConfined
final class AdsLog implements AdsObserver {
  private static final Logger log = LoggerFactory.getLogger(AdsLog.class);
  private static final int NAMES_SHOWN = 10;

  private final RefusalLines refusals;

  /**
   * @param server the name of the control plane
   */
  AdsLog(ControlLoop loop, String server) {
    refusals =
        new RefusalLines(
            loop,
            count ->
                log.warn(
                    "control plane {}: refused {} more responses within a minute, for the same"
                        + " reasons or beyond {} lines; /events has the last of them",
                    server,
                    count,
                    RefusalLines.MAX_LINES));
  }

  @Override
  public void onConnected(String server) {
    log.info("control plane {}: connected", server);
  }

  @Override
  public void onFailed(String server, RpcStatus reason) {
    log.warn("control plane {}: no response; will try again ({})", server, reason);
  }

  @Override
  public void onClosed(String server, RpcStatus reason) {
    log.info("control plane {}: stream ended, will be opened again ({})", server, reason);
  }

  @Override
  public void onAck(String server, Response response) {
    refusals.onAccepted();
    log.debug(
        "control plane {}: accepted {} version {} with {} resources",
        server,
        response.type(),
        response.version(),
        response.valid());
  }

  @Override
  public void onNack(String server, Response response, String details) {
    if (refusals.shouldLog(details)) {
      log.warn(
          "control plane {}: refused {} version {}: {}",
          server,
          response.type(),
          response.version(),
          details);
    }
  }

  @Override
  public void onResourceError(String server, ResourceType<?> type, String name, RpcStatus status) {
    log.debug("control plane {}: error for {} \"{}\": {}", server, type.noun(), name, status);
  }

  @Override
  public void onDeleted(String server, ResourceType<?> type, List<String> names, boolean kept) {
    log.warn(
        "control plane {}: deleted {}, {}: {}{}",
        server,
        Count.of(names.size(), type + " resource"),
        kept ? "kept in use" : "out of use",
        names.subList(0, Math.min(names.size(), NAMES_SHOWN)),
        names.size() > NAMES_SHOWN ? "…" : "");
  }
}
