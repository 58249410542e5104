package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.status.XdsStatusView.Updates;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the responses of one server for the metrics of A78. */
@ControlConfined
final class AdsCounters implements AdsObserver {
  private final Map<String, Updates> updates = new HashMap<>();
  private long nacks;
  private long failures;

  AdsCounters() {
    ResourceType.ALL.forEach(type -> updates.put(type.label(), new Updates(0, 0)));
  }

  /** Returns the counts by resource type label, with an entry for every type. */
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
  public void onConnected(String server) {}

  @Override
  public void onFailed(String server, RpcStatus reason) {
    failures++;
  }

  @Override
  public void onClosed(String server, RpcStatus reason) {}

  @Override
  public void onAck(String server, Response response) {
    add(response);
  }

  @Override
  public void onNack(String server, Response response, String details) {
    nacks++;
    add(response);
  }

  @Override
  public void onResourceError(String server, ResourceType<?> type, String name, RpcStatus status) {}

  @Override
  public void onDeleted(String server, ResourceType<?> type, List<String> names, boolean kept) {}

  private void add(Response response) {
    updates.merge(
        response.type().label(),
        new Updates(response.valid(), response.invalid()),
        (a, b) -> new Updates(a.valid() + b.valid(), a.invalid() + b.invalid()));
  }
}
