package io.outrigger.dataplane.serve;

import io.outrigger.base.AnyThread;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.filter.RbacObserver;
import java.util.Optional;

/** Receives what happens at a served port. */
@AnyThread
public interface ServeObserver extends RbacObserver {
  /**
   * The state has changed, or its reason; on the control loop.
   *
   * @param reason why the port is not open; empty when it is open
   */
  void onState(ServedListener.State state, Optional<String> reason);

  /** A TLS handshake has succeeded or failed (A118); on an event loop. */
  void onHandshake(HandshakeResult result);
}
