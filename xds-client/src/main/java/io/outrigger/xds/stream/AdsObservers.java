package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import java.time.Duration;
import java.util.List;

/** Calls several observers, one after the other. */
@ControlConfined
record AdsObservers(List<AdsObserver> observers) implements AdsObserver {
  @Override
  public void onConnected(String server) {
    observers.forEach(each -> each.onConnected(server));
  }

  @Override
  public void onFailed(String server, RpcStatus reason) {
    observers.forEach(each -> each.onFailed(server, reason));
  }

  @Override
  public void onClosed(String server, RpcStatus reason) {
    observers.forEach(each -> each.onClosed(server, reason));
  }

  @Override
  public void onAck(String server, Response response) {
    observers.forEach(each -> each.onAck(server, response));
  }

  @Override
  public void onNack(String server, Response response, String details) {
    observers.forEach(each -> each.onNack(server, response, details));
  }

  @Override
  public void onResourceError(String server, ResourceType<?> type, String name, RpcStatus status) {
    observers.forEach(each -> each.onResourceError(server, type, name, status));
  }

  @Override
  public void onReportsAsked(String server, Duration interval) {
    observers.forEach(each -> each.onReportsAsked(server, interval));
  }

  @Override
  public void onReportsFailed(String server, RpcStatus reason) {
    observers.forEach(each -> each.onReportsFailed(server, reason));
  }

  @Override
  public void onDeleted(String server, ResourceType<?> type, List<String> names, boolean kept) {
    observers.forEach(each -> each.onDeleted(server, type, names, kept));
  }
}
