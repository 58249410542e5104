package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;

/** An intended wait of a call: an injected delay, or the back-off before the next attempt. */
@LoopConfined
final class CallPause extends DeadlineTimers.Entry {
  private final CallLoop loop;
  private final Runnable then;

  /**
   * @param then the action that runs on the loop when the pause is over
   */
  CallPause(CallLoop loop, Runnable then) {
    this.loop = loop;
    this.then = then;
  }

  /** Starts a pause. The pause may last up to one timer tick longer than requested. */
  void begin(long nanos) {
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
