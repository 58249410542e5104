package io.outrigger.base;

/**
 * A scheduled task. A task that was cancelled on its own loop never runs after {@link #cancel} has
 * returned.
 */
public interface TimerHandle {
  /** Does nothing when the task has already run. */
  void cancel();
}
