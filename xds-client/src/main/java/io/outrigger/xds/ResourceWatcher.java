package io.outrigger.xds;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;

/** Hears of one resource, as A88 "Watcher API" defines. Called on the control loop. */
@ControlConfined
public interface ResourceWatcher<T> {
  /**
   * The resource to use from now on, or the reason why there is none any more; a failure replaces a
   * resource that was delivered before.
   */
  void onChanged(Outcome<T> resource);

  /** An error that leaves the resource in use; OK clears the one reported before. */
  void onAmbientError(RpcStatus status);
}
