package io.outrigger.observe.history;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.calls.LocalReason;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A call that has ended. */
record EndedCall(
    int loop,
    String path,
    String clusterName,
    EndpointAddress address,
    long durationNanos,
    boolean failed,
    long endedNanos)
    implements CallSummary {
  @Override
  public CharSequence method() {
    return "POST";
  }

  @Override
  public CharSequence authority() {
    return "orders";
  }

  @Override
  public boolean isGrpc() {
    return true;
  }

  @Override
  public RpcStatus.Code code() {
    return failed ? RpcStatus.Code.INTERNAL : RpcStatus.Code.OK;
  }

  @Override
  public int httpStatus() {
    return 200;
  }

  @Override
  public Optional<LocalReason> localReason() {
    return Optional.empty();
  }

  @Override
  public String target() {
    return "xds:///orders";
  }

  @Override
  public int routeIndex() {
    return 0;
  }

  @Override
  public Optional<String> route() {
    return Optional.empty();
  }

  @Override
  public Optional<Locality> locality() {
    return Optional.empty();
  }

  @Override
  public OptionalInt priority() {
    return OptionalInt.empty();
  }

  @Override
  public int attempts() {
    return 1;
  }

  @Override
  public long timeoutNanos() {
    return 1_000_000_000;
  }

  @Override
  public Optional<EffectiveTimeout.Source> limitSource() {
    return Optional.of(EffectiveTimeout.Source.TIMEOUT);
  }

  @Override
  public CharSequence traceparent() {
    return "";
  }

  @Override
  public long requestBytes() {
    return 0;
  }

  @Override
  public long responseBytes() {
    return 0;
  }

  @Override
  public @Nullable PeerIdentity peer() {
    return null;
  }

  @Override
  public @Nullable String policy() {
    return null;
  }
}
