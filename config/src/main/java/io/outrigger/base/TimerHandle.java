package io.outrigger.base;

/** A scheduled task. It never runs after {@link #cancel} returned, when cancelled on its loop. */
public interface TimerHandle {
  /** Stops the task from running. Harmless once it ran or was cancelled. */
  void cancel();
}
