package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.WorkloadEndpoint;

/** The seam to the SPIFFE Workload API: gRPC, or a fake. */
@AnyThread
public interface WorkloadApi {
  /** How many answers may come without being asked for: more than are pushed within a second. */
  int WINDOW = 500;

  /** Where the environment says that it is; fails with the reason. */
  Outcome<WorkloadEndpoint> ambient();

  /**
   * Asks for X.509-SVIDs. The answers come as they change, up to {@link #WINDOW} without {@link
   * Call#request}. Blocks while gRPC comes up for the first time.
   */
  Call open(WorkloadEndpoint endpoint, Listener listener);

  /** Follows one call; called on any thread, once at a time. */
  interface Listener {
    /** The agent can be reached: the request is on its way. */
    void onReady();

    void onResponse(WorkloadResponse response);

    /** The last call; the reason is never OK. */
    void onClosed(RpcStatus reason);
  }

  /** One call. Any thread. */
  interface Call {
    /** Permits {@code count} more answers. */
    void request(int count);

    /** Ends the call; the listener may still be called. */
    void close();
  }
}
