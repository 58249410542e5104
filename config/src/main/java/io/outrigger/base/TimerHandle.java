package io.outrigger.base;

/**
 * A scheduled task. A task that was cancelled on its own loop never runs after {@link #cancel} has
 * returned.
 */
public interface TimerHandle {
  /**
   * Prevents the task from running. Does nothing when the task has already run or was cancelled.
   */
  void cancel();
}
