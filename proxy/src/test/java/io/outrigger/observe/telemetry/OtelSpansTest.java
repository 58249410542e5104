package io.outrigger.observe.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.outrigger.base.RpcStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

class OtelSpansTest {
  private static final AttributeKey<Long> SEQUENCE = AttributeKey.longKey("sequence-number");
  private static final AttributeKey<Long> SIZE = AttributeKey.longKey("message-size");
  private static final AttributeKey<Long> COMPRESSED =
      AttributeKey.longKey("message-size-compressed");

  private final List<SpanData> ended = new ArrayList<>();

  /** A72: an event of its own for the compressed size, the only one that a proxy knows. */
  @Test
  void aCompressedMessageIsToldUnderItsOwnName() {
    OtelSpans spans = spans();
    spans.attemptBegins(0, false);

    spans.message(true, 0, 7, false);
    spans.message(true, 1, 300, true);
    spans.message(false, 0, 5, true);
    spans.message(false, 1, 9, false);
    spans.ended(RpcStatus.OK);

    assertThat(ended.get(0).getName()).isEqualTo("Attempt.pkg.Svc.Call");
    assertThat(ended.get(0).getEvents())
        .extracting(EventData::getName, EventData::getAttributes)
        .containsExactly(
            tuple("Outbound message", Attributes.of(SEQUENCE, 0L, SIZE, 7L)),
            tuple("Outbound message compressed", Attributes.of(SEQUENCE, 1L, COMPRESSED, 300L)),
            tuple("Inbound compressed message", Attributes.of(SEQUENCE, 0L, COMPRESSED, 5L)),
            tuple("Inbound message", Attributes.of(SEQUENCE, 1L, SIZE, 9L)));
  }

  @Test
  void aLongPathIsCutInTheNameOfItsSpan() {
    assertThat(OtelTracer.methodOf("/pkg.Svc/Call")).isEqualTo("pkg.Svc.Call");
    assertThat(OtelTracer.methodOf("/a/" + "m".repeat(60_000)))
        .startsWith("a.m")
        .hasSize(OtelTracer.MAX_METHOD);
  }

  @Test
  void longTextsOfABackendAreCut() {
    OtelSpans spans = spans();
    spans.attemptBegins(0, false);

    spans.delayBegins(false, "connecting", "r".repeat(60_000));
    spans.ended(RpcStatus.internal("m".repeat(60_000)));

    assertThat(ended.get(0).getEvents().get(0).getAttributes().asMap().values())
        .containsExactly("r".repeat(MessageSpan.MAX_TEXT));
    assertThat(ended.get(1).getStatus().getDescription())
        .startsWith("INTERNAL, m")
        .hasSize(MessageSpan.MAX_TEXT);
  }

  private OtelSpans spans() {
    var tracer =
        SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(new Kept()))
            .build()
            .get("test");
    return new OtelSpans(
        tracer, W3CTraceContextPropagator.getInstance(), Context.root(), "pkg.Svc.Call");
  }

  private final class Kept implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      ended.addAll(spans);
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
