package io.outrigger.lb.tree;

/** A call that waits for something the control half publishes. */
@FunctionalInterface
public interface ParkedCall {
  /** Try again. Called on the control loop, at most once per park; hops to its own event loop. */
  void wake();
}
