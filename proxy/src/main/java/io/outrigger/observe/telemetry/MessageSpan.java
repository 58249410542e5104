package io.outrigger.observe.telemetry;

import io.netty.buffer.ByteBuf;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;

/** A span with an event for each message of its two bodies (A72 "Tracing Information"). */
@LoopConfined
record MessageSpan(Span span, MessageScanner sent, MessageScanner received) {
  private static final AttributeKey<Long> SEQUENCE = AttributeKey.longKey("sequence-number");
  private static final AttributeKey<Long> SIZE = AttributeKey.longKey("message-size");
  private static final AttributeKey<Long> COMPRESSED_SIZE =
      AttributeKey.longKey("message-size-compressed");

  static MessageSpan of(Span span) {
    return new MessageSpan(
        span,
        scanner(span, "Outbound message", "Outbound message compressed"),
        scanner(span, "Inbound message", "Inbound compressed message"));
  }

  /**
   * Returns a scanner that adds an event for each message. For a compressed message only the
   * compressed size is known (decision proxy-0015).
   */
  private static MessageScanner scanner(Span span, String plain, String compressed) {
    return new MessageScanner(
        (number, bytes, isCompressed) ->
            span.addEvent(
                isCompressed ? compressed : plain,
                Attributes.of(SEQUENCE, number, isCompressed ? COMPRESSED_SIZE : SIZE, bytes)));
  }

  void onSent(ByteBuf data) {
    if (span.isRecording()) {
      sent.read(data);
    }
  }

  void onReceived(ByteBuf data) {
    if (span.isRecording()) {
      received.read(data);
    }
  }

  void end(RpcStatus status) {
    end(span, status);
  }

  static void end(Span span, RpcStatus status) {
    if (status.isOk()) {
      span.setStatus(StatusCode.OK);
    } else {
      String text = status.message();
      span.setStatus(StatusCode.ERROR, status.code() + (text.isEmpty() ? "" : ", " + text));
    }
    span.end();
  }
}
