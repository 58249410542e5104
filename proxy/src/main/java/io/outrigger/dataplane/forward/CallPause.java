package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;

/** An intended wait of a call: an injected delay, or the back-off before the next attempt. */
@LoopConfined
final class CallPause extends DeadlineTimers.Entry {
  private final CallLoop loop;
  private Runnable then = () -> {};

  CallPause(CallLoop loop) {
    this.loop = loop;
  }

  /**
   * Starts a pause. The pause may last up to one timer tick longer than requested.
   *
   * @param next the action that runs on the loop when the pause is over
   */
  void begin(long nanos, Runnable next) {
    then = next;
    loop.deadlines().arm(this, loop.nanoTime(), nanos);
  }

  /** Cancels the pause; does nothing when the pause is over. */
  void cancel() {
    loop.deadlines().disarm(this);
  }

  @Override
  void onDeadline() {
    then.run();
  }
}
