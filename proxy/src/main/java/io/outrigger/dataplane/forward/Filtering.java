package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.filter.FilterChain;
import io.outrigger.dataplane.filter.FilterPass;
import io.outrigger.dataplane.filter.FilterStep;
import io.outrigger.dataplane.filter.FilteredCall;
import io.outrigger.http2.HeaderList;
import org.jspecify.annotations.Nullable;

/** Runs a call through the filters of its route. Created only for routes with filters. */
@LoopConfined
final class Filtering {
  /** The call, with the steps that follow a filter. */
  interface Next extends FilteredCall {
    /**
     * A filter delays the request. Returns false when the queue is full; the call was then
     * answered.
     */
    boolean holdBack();

    /** A filter answers on behalf of the backend (A33). */
    void answer(FilterStep.Answer answer);

    /** All filters have run; the pick follows. */
    void send();
  }

  private final CallLoop loop;
  private final Next call;
  private final FilterPass pass;

  /** Created when a filter first delays the request. */
  private @Nullable CallPause pause;

  Filtering(CallLoop loop, Next call, FilterChain chain) {
    this.loop = loop;
    this.call = call;
    this.pass = chain.begin(call);
  }

  /** Runs the filters until the call is sent, answered, or waits. */
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

  /** Returns the final response headers of a backend after the filters edited them. */
  HeaderList response(HeaderList head) {
    var edits = new HeaderListEdits(head);
    pass.onResponse(edits);
    return edits.result();
  }

  /** Ends a pause of the call and the {@link FilterPass}; called when the call has ended. */
  void end() {
    if (pause != null) {
      pause.cancel();
    }
    pass.end();
  }
}
