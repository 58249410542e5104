package io.outrigger.base;

/** A scheduled task; once the task's loop has called {@link #cancel}, the task never runs. */
public interface TimerHandle {
  void cancel();
}
