package io.outrigger.base;

/** A scheduled task. After {@link #cancel} on the task's own loop the task never runs. */
public interface TimerHandle {
  void cancel();
}
