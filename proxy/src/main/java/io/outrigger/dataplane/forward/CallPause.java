package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;

/** A wait that is wanted, of a call: an injected delay, or the time before another attempt. */
@LoopConfined
final class CallPause extends DeadlineTimers.Entry {
  private final CallLoop loop;
  private final Runnable then;

  /**
   * @param then what goes on afterwards; on the loop
   */
  CallPause(CallLoop loop, Runnable then) {
    this.loop = loop;
    this.then = then;
  }

  /** Waits {@code nanos}, and at most a tick longer. */
  void begin(long nanos) {
    loop.deadlines().arm(this, loop.nanoTime(), nanos);
  }

  /** Nothing follows any more; harmless when the pause is over. */
  void cancel() {
    loop.deadlines().disarm(this);
  }

  @Override
  void onDeadline() {
    then.run();
  }
}
