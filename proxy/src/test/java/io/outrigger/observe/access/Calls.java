package io.outrigger.observe.access;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.dataplane.calls.CallRecord;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Samples of ended requests. */
record Calls(
    String method,
    String path,
    String authority,
    boolean complete,
    Locality locality,
    AtomicInteger losses)
    implements CallSummary {
  /** A gRPC call with a value for every field. */
  static Calls known(String path) {
    return known(path, new Locality("r", "z", "s"));
  }

  static Calls known(String path, Locality locality) {
    return new Calls("POST", path, "app.local", true, locality, new AtomicInteger());
  }

  /** A request that is not gRPC, with {@code method}. */
  static Calls ofMethod(String method) {
    return new Calls(method, "/", "", false, new Locality("", "", ""), new AtomicInteger());
  }

  /** A request that was rejected before routing. */
  static CallSummary bare() {
    return new Calls("POST", "/", "", false, new Locality("", "", ""), new AtomicInteger());
  }

  private <T> Optional<T> ifComplete(T value) {
    return complete ? Optional.of(value) : Optional.empty();
  }

  @Override
  public int loop() {
    return 0;
  }

  @Override
  public RpcStatus.Code code() {
    return RpcStatus.Code.UNAVAILABLE;
  }

  @Override
  public @Nullable String clusterName() {
    return complete ? "pay" : null;
  }

  @Override
  public @Nullable EndpointAddress address() {
    return complete ? new EndpointAddress("10.0.0.1", 80) : null;
  }

  @Override
  public long durationNanos() {
    return 12_034_567;
  }

  @Override
  public Runnable onLost() {
    return losses::incrementAndGet;
  }

  @Override
  public CallRecord record(String forward, long endMillis) {
    return new CallRecord(
        forward,
        endMillis,
        durationNanos(),
        method,
        path,
        authority,
        ifComplete("main"),
        Optional.ofNullable(clusterName()),
        Optional.ofNullable(address()),
        ifComplete(locality),
        complete ? OptionalInt.of(1) : OptionalInt.empty(),
        complete ? 2 : 0,
        complete,
        code(),
        complete ? 200 : 0,
        ifComplete(LocalReason.UPSTREAM_RESET),
        5,
        7,
        complete ? 1_500_000_000 : EffectiveTimeout.NONE,
        complete ? "00-aa-bb-01" : "",
        complete ? new PeerIdentity.Certified(List.of("spiffe://mesh/ship"), List.of(), "") : null,
        complete ? "readers" : null);
  }
}
