package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Count;
import io.outrigger.base.LogLines;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.status.XdsStatusView.Updates;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the events of one control plane, counts the events for A78, and passes them to the next
 * observer. Events of saved state come from no control plane and bypass this class.
 *
 * <p>A control plane that repeats its errors in a loop must not fill the disk. Rejections, resource
 * errors and deletions are each limited to ten lines per minute, without repetitions. Within a
 * minute, a repeated rejection is logged only if the client has accepted a response in between. The
 * next observer receives every event, logged or not.
 */
@ControlConfined
final class AdsLog implements AdsObserver {
  private static final Logger log = LoggerFactory.getLogger(AdsLog.class);
  private static final int NAMES_SHOWN = 10;

  private final String title;
  private final AdsObserver next;
  private final Map<String, Updates> updates = new HashMap<>();
  private final LogLines rejections;
  private final LogLines resourceErrors;
  private final LogLines deletions;
  private long nacks;
  private long failures;

  /**
   * @param title the name of the server in log lines
   */
  AdsLog(ControlLoop loop, String title, AdsObserver next) {
    this.title = title;
    this.next = next;
    this.rejections = new LogLines(loop);
    this.resourceErrors = new LogLines(loop);
    this.deletions = new LogLines(loop);
    ResourceType.ALL.forEach(type -> updates.put(type.label(), new Updates(0, 0)));
  }

  /** Returns the counts of received resources by the type's label; each type has an entry. */
  Map<String, Updates> updates() {
    return Map.copyOf(updates);
  }

  long nacks() {
    return nacks;
  }

  long failures() {
    return failures;
  }

  @Override
  public void onConnected(String server) {
    log.info("{}: connected", title);
    next.onConnected(server);
  }

  @Override
  public void onFailed(String server, RpcStatus reason) {
    failures++;
    log.warn("{}: no response; will try again ({})", title, reason);
    next.onFailed(server, reason);
  }

  @Override
  public void onClosed(String server, RpcStatus reason) {
    log.info("{}: stream ended, will be opened again ({})", title, reason);
    next.onClosed(server, reason);
  }

  @Override
  public void onAck(String server, Response response) {
    rejections.allowRepetitions(); // a later rejection is a new error
    count(response);
    log.debug(
        "{}: accepted {} version {} with {} resources",
        title,
        response.type(),
        response.version(),
        response.valid());
    next.onAck(server, response);
  }

  @Override
  public void onNack(String server, Response response, String details) {
    nacks++;
    count(response);
    if (rejections.shouldLog(details)) {
      log.warn(
          "{}: refused {} version {}: {}", title, response.type(), response.version(), details);
    }
    next.onNack(server, response, details);
  }

  @Override
  public void onResourceErrors(
      String server, ResourceType<?> type, List<String> names, RpcStatus status) {
    String text = status.withPrefix(type.subject(names)).message();
    if (resourceErrors.shouldLog(text)) {
      log.warn("{}: error for {}", title, text);
    }
    next.onResourceErrors(server, type, names, status);
  }

  @Override
  public void onDeleted(String server, ResourceType<?> type, List<String> names, boolean kept) {
    String text =
        "deleted %s, %s: %s"
            .formatted(
                Count.of(names.size(), type + " resource"),
                kept ? "kept in use by targets" : "out of use",
                Count.list(names, NAMES_SHOWN));
    if (deletions.shouldLog(text)) {
      log.warn("{}: {}", title, text);
    }
    next.onDeleted(server, type, names, kept);
  }

  private void count(Response response) {
    updates.merge(
        response.type().label(),
        new Updates(response.valid(), response.invalid()),
        (a, b) -> new Updates(a.valid() + b.valid(), a.invalid() + b.invalid()));
  }
}
