package io.outrigger.lb.tree;

/** A call that waits for a value that the control loop publishes. */
@FunctionalInterface
public interface ParkedCall {
  /**
   * Tells the call to try again. Called on the control loop, at most once per park; the
   * implementation switches to the call's own event loop.
   */
  void wake();
}
