package io.outrigger.proxy.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.proxy.filter.FilterPass;
import io.outrigger.proxy.filter.FilterStep;

/** A call on its way through the filters of its route. Made only where there are any. */
@LoopConfined
final class Filtering {
  /** The call, as its filters see it. */
  interface Next {
    /** A filter holds the request back; false when there is no room, and it was answered. */
    boolean holdBack();

    /** A filter answers in the backend's place (A33). */
    void answer(FilterStep.Answer answer);

    /** Nothing stands before the pick any more. */
    void send();
  }

  private final Next call;
  private final FilterPass pass;
  private final CallPause pause;

  Filtering(CallLoop loop, Next call, FilterPass pass) {
    this.call = call;
    this.pass = pass;
    pause = new CallPause(loop, this::resume);
  }

  /** Goes on until the call is sent, answered, or waits. */
  void resume() {
    FilterStep step = pass.next();
    if (step instanceof FilterStep.Pause wait) {
      if (call.holdBack()) {
        pause.begin(wait.nanos());
      }
    } else if (step instanceof FilterStep.Answer answer) {
      call.answer(answer);
    } else {
      call.send();
    }
  }

  /** The call is over. */
  void end() {
    pause.cancel();
    pass.end();
  }
}
