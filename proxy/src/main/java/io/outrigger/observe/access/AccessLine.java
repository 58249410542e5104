package io.outrigger.observe.access;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.PlainText;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.dataplane.calls.CallRecord;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;

/**
 * Formats the line of one request as a JSON object. Fields without a value are omitted. Texts from
 * apps are shortened and escaped, so that they cannot contain line breaks or terminal control
 * sequences.
 */
final class AccessLine {
  /** The maximum number of characters of a text; longer texts are cut. */
  static final int MAX_TEXT = 2048;

  private static final String CUT = "...";
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final JsonObject json = new JsonObject();

  private AccessLine() {}

  /**
   * @param isServed whether the call came to a {@code --serve} address
   */
  static void append(StringBuilder out, CallRecord entry, boolean isServed) {
    var line = new AccessLine();
    line.fill(entry, isServed);
    append(out, line.json);
  }

  static void append(StringBuilder out, JsonObject line) {
    out.append(PlainText.ofJson(line.toString())).append('\n');
  }

  private void fill(CallRecord entry, boolean isServed) {
    long startMillis = entry.endMillis() - entry.durationNanos() / NANOS_PER_MILLI;
    text("start", Instant.ofEpochMilli(startMillis).toString());
    json.add("duration_ms", millis(entry.durationNanos()));
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
    text("route", entry.route().orElse(""));
    text("cluster", entry.cluster().orElse(""));
    text("locality", entry.locality().map(Locality::shown).orElse(""));
    entry.priority().ifPresent(priority -> json.addProperty("priority", priority));
    text("upstream", entry.endpoint().map(EndpointAddress::toString).orElse(""));
    json.addProperty("attempts", entry.attempts());
    if (entry.isGrpc()) {
      text("grpc_status", entry.code().toString());
    }
    if (entry.httpStatus() > 0) {
      json.addProperty("http_status", entry.httpStatus());
    }
    entry.localReason().ifPresent(reason -> text("local", reason.word()));
    json.addProperty("request_bytes", entry.requestBytes());
    json.addProperty("response_bytes", entry.responseBytes());
    if (entry.timeoutNanos() != EffectiveTimeout.NONE) {
      json.add("timeout_ms", millis(entry.timeoutNanos()));
    }
    text("traceparent", entry.traceparent());
  }

  private void textOrNull(String name, Optional<String> value) {
    json.add(name, JsonNull.INSTANCE);
    value.ifPresent(text -> text(name, text));
  }

  private void text(String name, CharSequence value) {
    if (!value.isEmpty()) {
      json.addProperty(name, shortened(value));
    }
  }

  static String shortened(CharSequence text) {
    return text.length() <= MAX_TEXT ? text.toString() : text.subSequence(0, MAX_TEXT) + CUT;
  }

  private static JsonPrimitive millis(long nanos) {
    return new JsonPrimitive(BigDecimal.valueOf(nanos / NANOS_PER_MICRO, 3));
  }
}
