package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.WorkloadEndpoint;

/** The client of the SPIFFE Workload API: an implementation over gRPC, or a fake in tests. */
@AnyThread
public interface WorkloadApi {
  Outcome<WorkloadEndpoint> ambient();

  /**
   * Starts a call that streams X.509-SVIDs whenever they change; the first response arrives without
   * {@link Call#request}. Blocks while gRPC is loaded for the first time.
   */
  Call open(WorkloadEndpoint endpoint, Listener listener);

  /** Receives the events of one call, on any thread but never concurrently. */
  interface Listener {
    void onResponse(WorkloadResponse response);

    /** The last event of the call; the reason is never OK. */
    void onClosed(RpcStatus reason);
  }

  interface Call {
    void request();

    /** Ends the call; the listener may still be called. */
    void close();
  }
}
