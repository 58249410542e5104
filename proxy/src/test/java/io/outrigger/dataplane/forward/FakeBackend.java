package io.outrigger.dataplane.forward;

import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.Transport;
import io.outrigger.lb.Transport.BackendMetricsStream;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A subchannel with its transport. By default, the transport opens streams at once. */
final class FakeBackend implements Subchannel, CallTransport {
  /** How the transport handles requests for a stream. */
  enum Mode {
    OPENS,
    WAITS,
    REFUSES
  }

  final List<FakeStream> streams = new ArrayList<>();
  final List<CallTransport.Waiter> waiters = new ArrayList<>();
  final List<CallOutcome> outcomes = new ArrayList<>();
  final List<BackendMetrics> reports = new ArrayList<>();
  final PickResult use = new PickResult.Use(this);
  private final EndpointAddress address;
  private final String hostname;
  Mode mode = Mode.OPENS;
  boolean hasTransport = true;
  int picks;
  String note = "";
  long maxHeaderListBytes = Long.MAX_VALUE;

  FakeBackend(String ip) {
    this(ip, "");
  }

  /** A backend whose endpoint has a hostname. */
  FakeBackend(String ip, String hostname) {
    address = new EndpointAddress(ip, 80);
    this.hostname = hostname;
  }

  /** The stream that was opened last. */
  FakeStream stream() {
    return streams.get(streams.size() - 1);
  }

  @Override
  public FailureNote note() {
    return new FailureNote("leaf", note);
  }

  /** Opens a stream for each waiter, in order. */
  void openAll() {
    mode = Mode.OPENS;
    List<CallTransport.Waiter> all = List.copyOf(waiters);
    waiters.clear();
    all.forEach(this::give);
  }

  /** Notifies all waiters that no stream will be opened. */
  void failAll() {
    List<CallTransport.Waiter> all = List.copyOf(waiters);
    waiters.clear();
    all.forEach(CallTransport.Waiter::onNotOpened);
  }

  @Override
  public boolean open(int loop, CallTransport.Waiter waiter) {
    switch (mode) {
      case OPENS -> give(waiter);
      case WAITS -> waiters.add(waiter);
      case REFUSES -> {
        return false;
      }
    }
    return true;
  }

  private void give(CallTransport.Waiter waiter) {
    var stream = new FakeStream(waiter);
    stream.maxHeaderListBytes = maxHeaderListBytes;
    streams.add(stream);
    waiter.onOpened(stream);
  }

  @Override
  public void forget(int loop, CallTransport.Waiter waiter) {
    waiters.remove(waiter);
  }

  @Override
  public BackendMetricsStream openBackendMetrics(
      Duration interval, BackendMetricsStream.Listener listener) {
    throw new AssertionError("calls do not ask for reports");
  }

  @Override
  public Backend backend() {
    var endpoint = new Endpoint(List.of(address), HealthStatus.HEALTHY, 1, hostname);
    return new Backend(endpoint, new Locality("r", "z", "s"), 1);
  }

  @Override
  public EndpointAddress address() {
    return address;
  }

  @Override
  public void requestConnection() {}

  @Override
  public void close() {}

  @Override
  public @Nullable Transport transport() {
    return hasTransport ? this : null;
  }

  @Override
  public void callEnded(PickContext call, CallOutcome outcome) {
    outcomes.add(outcome);
  }

  @Override
  public boolean wantsBackendMetrics() {
    return true;
  }

  @Override
  public void onBackendMetrics(PickContext call, BackendMetrics report) {
    reports.add(report);
  }
}
