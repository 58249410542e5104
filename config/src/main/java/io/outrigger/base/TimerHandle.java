package io.outrigger.base;

/** A scheduled task; it never runs after {@link #cancel} was called on the task's own loop. */
public interface TimerHandle {
  void cancel();
}
