package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.filter.FilterChain;
import io.outrigger.dataplane.filter.FilterPass;
import io.outrigger.dataplane.filter.FilterStep;
import io.outrigger.dataplane.filter.FilteredCall;
import io.outrigger.http2.HeaderList;
import org.jspecify.annotations.Nullable;

/** A call on its way through the filters of its route. Made only where there are any. */
@LoopConfined
final class Filtering {
  /** The call, as its filters see it. */
  interface Next extends FilteredCall {
    /** A filter holds the request back; false when there is no room, and it was answered. */
    boolean holdBack();

    /** A filter answers in the backend's place (A33). */
    void answer(FilterStep.Answer answer);

    /** Nothing stands before the pick any more. */
    void send();
  }

  private final CallLoop loop;
  private final Next call;
  private final FilterPass pass;

  /** Made when a filter first holds the request back. */
  private @Nullable CallPause pause;

  Filtering(CallLoop loop, Next call, FilterChain chain) {
    this.loop = loop;
    this.call = call;
    this.pass = chain.begin(call);
  }

  /** Goes on until the call is sent, answered, or waits. */
  void resume() {
    FilterStep step = pass.next();
    if (step instanceof FilterStep.Pause wait) {
      if (call.holdBack()) {
        pause(wait.nanos());
      }
    } else if (step instanceof FilterStep.Answer answer) {
      call.answer(answer);
    } else {
      call.send();
    }
  }

  private void pause(long nanos) {
    if (pause == null) {
      pause = new CallPause(loop, this::resume);
    }
    pause.begin(nanos);
  }

  /** The final head of a backend's response, as the filters leave it. */
  HeaderList response(HeaderList head) {
    var edits = new HeaderListEdits(head);
    pass.onResponse(edits);
    return edits.result();
  }

  /** The call is over. */
  void end() {
    if (pause != null) {
      pause.cancel();
    }
    pass.end();
  }
}
