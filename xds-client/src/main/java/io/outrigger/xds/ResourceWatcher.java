package io.outrigger.xds;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;

/** Receives the updates and errors of one resource (A88 "Watcher API"), on the control loop. */
@ControlConfined
public interface ResourceWatcher<T> {
  /** After a failure, the watcher must not use the previous resource. */
  void onChanged(Outcome<T> resource);

  /** Called with an error that leaves the resource in use, or with OK when the error is over. */
  void onAmbientError(RpcStatus status);
}
