package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import io.outrigger.config.route.RequestView;

/** Creates the spans of calls. The tracer is called on the event loop of each call. */
@AnyThread
@FunctionalInterface
public interface CallTracer {
  /** The tracer that creates no spans, used when tracing is off. */
  CallTracer NONE = request -> CallSpans.NONE;

  CallSpans begin(RequestView request);
}
