package io.outrigger.dataplane.serve;

import io.outrigger.base.AnyThread;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.filter.RbacObserver;
import java.util.Optional;

/** Receives the events of a served port. */
@AnyThread
public interface ServeObserver extends RbacObserver {
  /**
   * Called on the control loop when the port's state, or the reason for this state, has changed.
   *
   * @param reason why the port is not open; empty for an open port
   */
  void onState(ServedListener.State state, Optional<String> reason);

  /** Called on an event loop when a TLS handshake has succeeded or failed (A118). */
  void onHandshake(HandshakeResult result);
}
