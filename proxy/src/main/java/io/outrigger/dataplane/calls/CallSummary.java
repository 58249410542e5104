package io.outrigger.dataplane.calls;

import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import org.jspecify.annotations.Nullable;

/**
 * An ended call, as observers receive it. The summary is valid only until the observer returns;
 * {@link #record} copies its data.
 */
@LoopConfined
public interface CallSummary {
  /** The index of the call's event loop. */
  int loop();

  /** The gRPC status code, as in {@link CallRecord#code}. */
  RpcStatus.Code code();

  /** The cluster that routing chose; null when the call was not routed to a cluster. */
  @Nullable String clusterName();

  /** The address of the last attempt; null when no attempt was made. */
  @Nullable EndpointAddress address();

  /** The duration of the call from the arrival of its headers. */
  long durationNanos();

  /** Returns a copy of all data of the call, with two further components of {@link CallRecord}. */
  CallRecord record(String forward, long endMillis);

  /** Returns a task that counts the call as not recorded by an observer; any thread may run it. */
  Runnable onLost();
}
