package io.outrigger.observe.access;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.calls.LocalReason;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Samples of ended requests. */
record Calls(String path, String authority, boolean complete) implements CallSummary {
  /** A gRPC call with a value for every field. */
  static CallSummary known(String path) {
    return new Calls(path, "app.local", true);
  }

  /** A request that was rejected before routing. */
  static CallSummary bare() {
    return new Calls("/", "", false);
  }

  private <T> Optional<T> ifComplete(T value) {
    return complete ? Optional.of(value) : Optional.empty();
  }

  @Override
  public CharSequence method() {
    return "POST";
  }

  @Override
  public boolean isGrpc() {
    return complete;
  }

  @Override
  public RpcStatus.Code code() {
    return RpcStatus.Code.UNAVAILABLE;
  }

  @Override
  public int httpStatus() {
    return complete ? 200 : 0;
  }

  @Override
  public Optional<LocalReason> localReason() {
    return complete ? Optional.of(LocalReason.UPSTREAM_RESET) : Optional.empty();
  }

  @Override
  public Optional<String> route() {
    return ifComplete("main");
  }

  @Override
  public Optional<Locality> locality() {
    return ifComplete(new Locality("r", "z", "s"));
  }

  @Override
  public OptionalInt priority() {
    return complete ? OptionalInt.of(1) : OptionalInt.empty();
  }

  @Override
  public int attempts() {
    return complete ? 2 : 0;
  }

  @Override
  public long durationNanos() {
    return 12_034_567;
  }

  @Override
  public long timeoutNanos() {
    return complete ? 1_500_000_000 : EffectiveTimeout.NONE;
  }

  @Override
  public CharSequence traceparent() {
    return complete ? "00-aa-bb-01" : "";
  }

  @Override
  public long requestBytes() {
    return 5;
  }

  @Override
  public long responseBytes() {
    return 7;
  }

  @Override
  public int loop() {
    return 0;
  }

  @Override
  public String target() {
    return "xds:///orders";
  }

  @Override
  public int routeIndex() {
    return complete ? 1 : -1;
  }

  @Override
  public @Nullable EndpointAddress address() {
    return complete ? new EndpointAddress("10.0.0.1", 80) : null;
  }

  @Override
  public Optional<EffectiveTimeout.Source> limitSource() {
    return ifComplete(EffectiveTimeout.Source.TIMEOUT);
  }

  @Override
  public long endedNanos() {
    return 0;
  }

  @Override
  public @Nullable String clusterName() {
    return complete ? "pay" : null;
  }

  @Override
  public @Nullable PeerIdentity peer() {
    return complete
        ? new PeerIdentity.Certified(List.of("spiffe://mesh/ship"), List.of(), "")
        : null;
  }

  @Override
  public @Nullable String policy() {
    return complete ? "readers" : null;
  }
}
