package io.outrigger.observe.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;

/** A span with an event for each request or response message (A72 "Tracing Information"). */
@LoopConfined
record MessageSpan(Span span) {
  private static final AttributeKey<Long> SEQUENCE = AttributeKey.longKey("sequence-number");
  private static final AttributeKey<Long> SIZE = AttributeKey.longKey("message-size");
  private static final AttributeKey<Long> COMPRESSED_SIZE =
      AttributeKey.longKey("message-size-compressed");

  /** The maximum length of a text that a peer may have chosen. */
  static final int MAX_TEXT = 1024;

  /**
   * Adds an event for one message. For a compressed message, only the compressed size is known
   * (decision proxy-0015).
   */
  void message(boolean isOutbound, long sequence, long bytes, boolean isCompressed) {
    if (!span.isRecording()) {
      return;
    }
    String name = isOutbound ? "Outbound message" : "Inbound message";
    if (isCompressed) {
      name = isOutbound ? "Outbound message compressed" : "Inbound compressed message";
    }
    span.addEvent(
        name, Attributes.of(SEQUENCE, sequence, isCompressed ? COMPRESSED_SIZE : SIZE, bytes));
  }

  void end(RpcStatus status) {
    end(span, status);
  }

  static void end(Span span, RpcStatus status) {
    if (status.isOk()) {
      span.setStatus(StatusCode.OK);
    } else {
      String text = status.message();
      span.setStatus(
          StatusCode.ERROR, bounded(status.code() + (text.isEmpty() ? "" : ", " + text)));
    }
    span.end();
  }

  /** Shortens a text, because thousands of spans may wait in memory for a slow collector. */
  static String bounded(String text) {
    return text.substring(0, Math.min(text.length(), MAX_TEXT));
  }
}
