package io.outrigger.observe.telemetry;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.RequestView;
import io.outrigger.dataplane.calls.CallSpans;
import io.outrigger.dataplane.calls.CallTracer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates spans: children of the span that the app's request names, or roots of new traces. */
record OtelTracer(Tracer tracer, TextMapPropagator propagator) implements CallTracer {
  private static final TextMapGetter<RequestView> HEADERS =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(RequestView request) {
          return List.of(); // only propagators that read baggage by prefix call this
        }

        @Override
        public @Nullable String get(@Nullable RequestView request, String name) {
          return request == null ? null : request.header(name);
        }
      };

  /** The maximum length of the method in a span's name (see {@link MessageSpan#bounded}). */
  static final int MAX_METHOD = 256;

  @Override
  public CallSpans begin(RequestView request) {
    Context parent = parentOf(request);
    String method = methodOf(request.path());
    Span span = start("Sent." + method, SpanKind.CLIENT, parent);
    return new OtelSpans(tracer, propagator, parent.with(span), method);
  }

  CallSpans beginServed(RequestView request) {
    return new ServerSpans(
        new MessageSpan(
            start("Recv." + methodOf(request.path()), SpanKind.SERVER, parentOf(request))));
  }

  private Context parentOf(RequestView request) {
    return propagator.extract(Context.root(), request, HEADERS);
  }

  private Span start(String name, SpanKind kind, Context parent) {
    return tracer.spanBuilder(name).setSpanKind(kind).setParent(parent).startSpan();
  }

  /** Converts {@code /pkg.Service/Method} to {@code pkg.Service.Method}; cuts a longer path. */
  static String methodOf(String path) {
    int from = path.startsWith("/") ? 1 : 0;
    return path.substring(from, Math.min(path.length(), from + MAX_METHOD)).replace('/', '.');
  }

  /**
   * The span of a served call, as A72 describes the server side. The app gets the caller's trace
   * context unchanged, so a span that the app creates is a sibling of this span.
   */
  @LoopConfined
  private record ServerSpans(MessageSpan call) implements CallSpans {
    @Override
    public void message(boolean isRequest, long sequence, long bytes, boolean isCompressed) {
      call.message(!isRequest, sequence, bytes, isCompressed); // requests are received messages
    }

    @Override
    public void ended(RpcStatus status) {
      call.end(status);
    }
  }
}
