package io.outrigger.lb;

import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.SubchannelCalls;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A connection (or several) to one address, as policies see it. A node that accounts calls wraps
 * the subchannels that its children ask for (decision lb-0001); the wrapper passes everything else
 * on.
 */
public interface Subchannel {
  Endpoint endpoint();

  EndpointAddress address();

  /** Begins to connect when IDLE; otherwise nothing. Control loop. */
  void requestConnection();

  /** Gives the subchannel up: the connection closes when its streams have ended. Control loop. */
  void close();

  /**
   * How many connections the subchannel may have (A105 {@code max_connections_per_subchannel}); may
   * change at any time. Control loop.
   *
   * @param max unsigned 32 bit, at least 1; 1 by default
   */
  default void limitConnections(long max) {}

  /** The live transport; null when there is none at this moment. Any thread, one volatile read. */
  @Nullable Transport transport();

  /**
   * A pick chose this subchannel. The tree calls this, once per {@link PickResult.Use} that leaves
   * it, on the call's event loop.
   */
  default void callStarted(PickContext call) {}

  /**
   * A picked call has ended, or was never sent. The receiver of the {@link PickResult.Use} calls
   * this exactly once, on the call's event loop.
   */
  void callEnded(PickContext call, CallOutcome outcome);

  /** Whether load reports that come with responses are of use; on an event loop. */
  default boolean wantsBackendMetrics() {
    return false;
  }

  /**
   * A response brought a load report (A51). Called only if {@link #wantsBackendMetrics}, before
   * {@link #callEnded}, on the call's event loop.
   */
  default void onBackendMetrics(PickContext call, BackendMetrics report) {}

  /** The counts of its calls, for status views. Control loop. */
  default SubchannelCalls calls() {
    return SubchannelCalls.NONE;
  }

  /** The leaf cluster that the endpoint is of (A89); empty below its node. Any thread. */
  default String cluster() {
    return "";
  }

  /** The resolution note of that cluster (A88); empty when there is none. Any thread. */
  default String note() {
    return "";
  }

  /** The locality of the endpoint; empty where policies do not know it. Any thread. */
  default Optional<Locality> locality() {
    return Optional.empty();
  }

  /** The priority of its cluster that the endpoint is in, for the access log. Any thread. */
  default OptionalInt priority() {
    return OptionalInt.empty();
  }

  /** The endpoint has another locality, priority or weight from now on. Control loop. */
  default void update(Backend backend) {}
}
