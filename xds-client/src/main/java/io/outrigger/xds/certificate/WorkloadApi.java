package io.outrigger.xds.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.WorkloadEndpoint;

/** The seam to the SPIFFE Workload API: gRPC, or a fake. */
@AnyThread
public interface WorkloadApi {
  /** Where the environment says that it is; fails with the reason. */
  Outcome<WorkloadEndpoint> ambient();

  /**
   * Asks for X.509-SVIDs. The answers come as they change; the next one after {@link
   * Call#requestNext}.
   */
  Call open(WorkloadEndpoint endpoint, Listener listener);

  /** Hears of one call; on any thread, one thing after the other. */
  interface Listener {
    void onResponse(WorkloadResponse response);

    /** The last that it hears; never OK. */
    void onClosed(RpcStatus reason);
  }

  /** One call. Any thread. */
  interface Call {
    /** Permits one more answer; the first needs none. */
    void requestNext();

    /** Gives it up. */
    void close();
  }
}
