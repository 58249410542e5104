package io.outrigger.observe.access;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.dataplane.calls.CallRecord;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.time.Instant;
import java.util.Optional;

/**
 * Formats the line of one request as a JSON object in plain ASCII. Fields without a value are
 * omitted. Texts from apps are shortened and escaped, so that they cannot contain line breaks or
 * terminal control sequences.
 */
final class AccessLine {
  /** The maximum number of characters of a text; longer texts are cut. */
  static final int MAX_TEXT = 2048;

  private static final String CUT = "...";
  private static final String HEX = "0123456789abcdef";
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final StringBuilder out;

  private AccessLine(StringBuilder out) {
    this.out = out;
  }

  /**
   * Appends the line of {@code entry} and a line break.
   *
   * @param isServed whether the call is one of a {@code --serve}
   */
  static void append(StringBuilder out, CallRecord entry, boolean isServed) {
    new AccessLine(out).write(entry, isServed);
  }

  private void write(CallRecord entry, boolean isServed) {
    long startMillis = entry.endMillis() - entry.durationNanos() / NANOS_PER_MILLI;
    out.append('{');
    text("start", Instant.ofEpochMilli(startMillis).toString());
    millis("duration_ms", entry.durationNanos());
    if (isServed) {
      text("serve", entry.forward());
      textOrNull("peer", Optional.ofNullable(entry.peer()).flatMap(PeerIdentity::name));
      textOrNull("policy", Optional.ofNullable(entry.policy()));
    } else {
      text("forward", entry.forward());
    }
    text("method", entry.method());
    text("path", entry.path());
    text("authority", entry.authority());
    text("route", entry.route());
    text("cluster", entry.cluster());
    text("locality", entry.locality().map(Locality::shown));
    entry.priority().ifPresent(priority -> number("priority", priority));
    text("upstream", entry.endpoint().map(EndpointAddress::toString));
    number("attempts", entry.attempts());
    if (entry.isGrpc()) {
      text("grpc_status", entry.code().toString());
    }
    if (entry.httpStatus() > 0) {
      number("http_status", entry.httpStatus());
    }
    entry.localReason().ifPresent(reason -> text("local", reason.word()));
    number("request_bytes", entry.requestBytes());
    number("response_bytes", entry.responseBytes());
    if (entry.timeoutNanos() != EffectiveTimeout.NONE) {
      millis("timeout_ms", entry.timeoutNanos());
    }
    text("traceparent", entry.traceparent());
    out.append("}\n");
  }

  private void textOrNull(String name, Optional<String> value) {
    name(name);
    value.ifPresentOrElse(text -> quote(out, text), () -> out.append("null"));
  }

  private void text(String name, Optional<String> value) {
    value.ifPresent(text -> text(name, text));
  }

  private void text(String name, CharSequence value) {
    if (value.isEmpty()) {
      return;
    }
    name(name);
    quote(out, value);
  }

  /** Appends a text as a JSON string in ASCII, cut to {@link #MAX_TEXT} characters. */
  static void quote(StringBuilder out, CharSequence value) {
    out.append('"');
    int length = Math.min(value.length(), MAX_TEXT);
    for (int i = 0; i < length; i++) {
      character(out, value.charAt(i));
    }
    out.append(value.length() > MAX_TEXT ? CUT + "\"" : "\"");
  }

  private static void character(StringBuilder out, char c) {
    if (c == '"' || c == '\\') {
      out.append('\\').append(c);
    } else if (c >= ' ' && c <= '~') {
      out.append(c);
    } else {
      out.append("\\u");
      for (int shift = 12; shift >= 0; shift -= 4) {
        out.append(HEX.charAt((c >> shift) & 0xf));
      }
    }
  }

  private void number(String name, long value) {
    name(name);
    out.append(value);
  }

  /** Appends milliseconds with three decimals. */
  private void millis(String name, long nanos) {
    name(name);
    long micros = nanos / NANOS_PER_MICRO;
    out.append(micros / 1_000).append('.');
    long rest = micros % 1_000;
    out.append(rest < 100 ? "0" : "").append(rest < 10 ? "0" : "").append(rest);
  }

  private void name(String name) {
    if (out.charAt(out.length() - 1) != '{') {
      out.append(',');
    }
    out.append('"').append(name).append("\":");
  }
}
