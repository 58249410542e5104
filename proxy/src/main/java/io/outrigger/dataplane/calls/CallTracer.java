package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import io.outrigger.config.route.RequestView;

/** Makes the spans of calls; asked on the event loop of each. */
@AnyThread
@FunctionalInterface
public interface CallTracer {
  /** Tracing is off: nothing is made. */
  CallTracer NONE = request -> CallSpans.NONE;

  /** The spans of a gRPC request that has just arrived. */
  CallSpans begin(RequestView request);
}
