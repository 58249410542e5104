package io.outrigger.dataplane.filter;

import io.outrigger.base.LoopConfined;
import io.outrigger.config.rbac.Rbac;

/** Receives the decisions of RBAC filters, on the event loop of the call. Must not block. */
@LoopConfined
@FunctionalInterface
public interface RbacObserver {
  /**
   * @param filter the name of the HTTP filter in the listener
   */
  void onDecision(FilteredCall call, String filter, Rbac.Decision decision);
}
