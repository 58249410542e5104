package io.outrigger.dataplane.forward;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.calls.CallRecord;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.http2.HeaderList;
import java.util.Locale;

/**
 * Describes in one line how a request was routed, for apps that request this with the {@code
 * --decision-header}. Names come from the control plane, so characters that are not printable ASCII
 * are percent-encoded.
 */
final class CallDecision {
  private static final int MAX_NAME = 200;
  private static final String SEPARATORS = ";=,\"";

  private CallDecision() {}

  /** Returns a copy of a header block with the decision field appended. */
  static HeaderList appended(HeaderList last, CallSummary call) {
    return HeaderList.builder(last.size() + 1)
        .addAll(last)
        .add(GrpcNames.DECISION, text(call.record("", 0)))
        .build();
  }

  /** Such as {@code route=2; cluster=pay; endpoint=10.0.0.7:80; attempts=1; limit=15s}. */
  static String text(CallRecord call) {
    var text = new StringBuilder();
    add(text, "target", call.target());
    if (call.routeIndex() >= 0) {
      add(text, "route", Integer.toString(call.routeIndex()));
    }
    call.route().ifPresent(name -> add(text, "route_name", name));
    call.cluster().ifPresent(name -> add(text, "cluster", name));
    call.endpoint().map(EndpointAddress::toString).ifPresent(to -> add(text, "endpoint", to));
    call.locality().ifPresent(place -> add(text, "locality", place.shown()));
    add(text, "attempts", Integer.toString(call.attempts()));
    if (call.timeoutNanos() != EffectiveTimeout.NONE) {
      add(text, "limit", call.timeoutNanos() / 1_000_000 + "ms");
    }
    call.limitSource().ifPresent(source -> add(text, "limit_of_route", source.text()));
    call.localReason().ifPresent(reason -> add(text, "local", reason.text().toString()));
    return text.toString();
  }

  private static void add(StringBuilder text, String name, String value) {
    if (value.isEmpty()) {
      return;
    }
    text.append(text.isEmpty() ? "" : "; ").append(name).append('=');
    String encoded =
        LocalReply.encode(value.length() > MAX_NAME ? value.substring(0, MAX_NAME) : value);
    for (int i = 0; i < encoded.length(); i++) {
      char c = encoded.charAt(i);
      if (SEPARATORS.indexOf(c) >= 0) {
        text.append('%').append(Integer.toHexString(c).toUpperCase(Locale.ROOT));
      } else {
        text.append(c);
      }
    }
  }
}
