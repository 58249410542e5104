package io.outrigger.observe.events;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Count;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.stream.AdsObserver;
import java.util.List;
import java.util.stream.Collectors;

/** Adds the communication with control planes to the event log. */
@ControlConfined
public record AdsEvents(EventLog log) implements AdsObserver {
  private static final int NAMES_SHOWN = 10;

  @Override
  public void onConnected(String server) {
    log.add(EventKind.ADS_CONNECTED, server, "connected");
  }

  @Override
  public void onFailed(String server, RpcStatus reason) {
    log.add(EventKind.ADS_FAILED, server, "no response; will try again: " + reason);
  }

  @Override
  public void onClosed(String server, RpcStatus reason) {
    log.add(EventKind.ADS_CLOSED, server, "stream ended, will be opened again: " + reason);
  }

  @Override
  public void onStale(String text) {
    log.add(EventKind.STALE, "state", text);
  }

  @Override
  public void onStateProblem(String text) {
    log.add(EventKind.STATE_PROBLEM, "state", text);
  }

  @Override
  public void onAck(String server, Response response) {
    String text =
        "accepted %s version \"%s\" of %s: %s, %d changed"
            .formatted(
                response.type().label(),
                response.version(),
                server,
                Count.of(response.valid(), "resource"),
                response.changeCount());
    log.add(EventKind.ACK, subject(response), text + changes(response));
  }

  @Override
  public void onNack(String server, Response response, String details) {
    String text =
        "refused %s version \"%s\" of %s: %s"
            .formatted(response.type().label(), response.version(), server, details);
    log.add(EventKind.NACK, subject(response), text + changes(response));
  }

  private static String changes(Response response) {
    return response.firstChanges().stream().map(each -> "; " + each).collect(Collectors.joining());
  }

  private static String subject(Response response) {
    return response.changeCount() == 1 && response.firstChanges().size() == 1
        ? response.firstChanges().get(0).name()
        : response.type().label();
  }

  @Override
  public void onResourceErrors(
      String server, ResourceType<?> type, List<String> names, RpcStatus status) {
    log.add(
        EventKind.RESOURCE_ERROR,
        subject(type, names),
        type.subject(names) + " of " + server + ": " + status);
  }

  private static String subject(ResourceType<?> type, List<String> names) {
    return names.size() == 1 ? names.get(0) : type.label();
  }

  @Override
  public void onDeleted(String server, ResourceType<?> type, List<String> names, boolean kept) {
    log.add(
        EventKind.RESOURCE_DELETED,
        subject(type, names),
        "%s deleted %d of type %s, %s: %s"
            .formatted(
                server,
                names.size(),
                type.label(),
                kept ? "kept in use by targets" : "out of use",
                Count.list(names, NAMES_SHOWN)));
  }
}
