package io.outrigger.observe.telemetry;

import io.netty.util.AsciiString;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallSpans;
import io.outrigger.http2.HeaderList;
import org.jspecify.annotations.Nullable;

/** The spans, events and attributes of A72 "Tracing Information" for the client side of a call. */
@LoopConfined
final class OtelSpans implements CallSpans {
  private static final AttributeKey<Long> PREVIOUS = AttributeKey.longKey("previous-rpc-attempts");
  private static final AttributeKey<Boolean> TRANSPARENT =
      AttributeKey.booleanKey("transparent-retry");
  private static final AttributeKey<String> DELAY_TYPE = AttributeKey.stringKey("grpc.delay_type");
  private static final AttributeKey<String> DELAY_REASON =
      AttributeKey.stringKey("grpc.delay_reason");

  private final Tracer tracer;
  private final TextMapPropagator propagator;
  private final Context context;
  private final String method;
  private @Nullable MessageSpan attempt;

  private @Nullable Span delay;

  /**
   * @param method the method, with dots in place of slashes
   */
  OtelSpans(Tracer tracer, TextMapPropagator propagator, Context context, String method) {
    this.tracer = tracer;
    this.propagator = propagator;
    this.context = context;
    this.method = method;
  }

  @Override
  public void resolutionDelayed() {
    Span.fromContext(context).addEvent("Delayed name resolution complete");
  }

  @Override
  public void attemptBegins(int previousAttempts, boolean transparent) {
    attempt =
        new MessageSpan(
            tracer
                .spanBuilder("Attempt." + method)
                .setSpanKind(SpanKind.CLIENT)
                .setParent(context)
                .setAttribute(PREVIOUS, (long) previousAttempts)
                .setAttribute(TRANSPARENT, transparent)
                .startSpan());
  }

  @Override
  public void pickDelayed() {
    if (attempt != null) {
      attempt.span().addEvent("Delayed LB pick complete");
    }
  }

  @Override
  public void delayBegins(boolean ofAttempt, String type, String reason) {
    Context parent = ofAttempt && attempt != null ? context.with(attempt.span()) : context;
    delay =
        tracer.spanBuilder("Delay").setParent(parent).setAttribute(DELAY_TYPE, type).startSpan();
    delayReason(reason);
  }

  @Override
  public void delayReason(String reason) {
    if (delay != null) {
      delay.addEvent("Delay triggered", Attributes.of(DELAY_REASON, MessageSpan.bounded(reason)));
    }
  }

  @Override
  public void delayEnds() {
    if (delay != null) {
      delay.end();
      delay = null;
    }
  }

  @Override
  public HeaderList context() {
    if (attempt == null) {
      return HeaderList.EMPTY;
    }
    var fields = HeaderList.builder(2);
    propagator.inject(
        context.with(attempt.span()),
        fields,
        (to, name, value) -> {
          if (to != null) {
            to.add(AsciiString.of(name), value);
          }
        });
    return fields.build();
  }

  @Override
  public void message(boolean isRequest, long sequence, long bytes, boolean isCompressed) {
    if (attempt != null) {
      attempt.message(isRequest, sequence, bytes, isCompressed);
    }
  }

  @Override
  public void attemptFailed(RpcStatus failure) {
    delayEnds();
    if (attempt != null) {
      attempt.end(failure);
      attempt = null;
    }
  }

  @Override
  public void ended(RpcStatus status) {
    attemptFailed(status);
    MessageSpan.end(Span.fromContext(context), status);
  }
}
