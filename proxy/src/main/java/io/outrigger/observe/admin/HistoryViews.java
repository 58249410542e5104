package io.outrigger.observe.admin;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.calls.CallRecord;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.observe.history.TrafficView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Renders the results of past calls as JSON: {@code /history} and {@code /explain?last=true}. */
@AnyThread
public final class HistoryViews {
  private static final double NANOS_PER_MILLI = 1e6;

  private HistoryViews() {}

  /**
   * Returns the forwards with their clusters and endpoints, minute by minute.
   *
   * @param cluster if present, the only cluster in the reply
   * @param endpoint if present, the only endpoint of each cluster in the reply
   */
  public static AdminReply reply(
      List<TrafficView> forwards, Optional<String> cluster, Optional<String> endpoint) {
    return AdminReply.json(
        200,
        Map.of("forwards", forwards.stream().map(each -> each.only(cluster, endpoint)).toList()));
  }

  /** Returns the last call of a path; 404 when no such call was kept. */
  public static AdminReply last(Optional<CallRecord> found) {
    if (found.isEmpty()) {
      return AdminReply.text(
          404,
          "no request of that path was recorded; only a sample of requests is: call it again, or ask without \"last\"");
    }
    CallRecord call = found.get();
    boolean isLimited = call.timeoutNanos() != EffectiveTimeout.NONE;
    return AdminReply.json(
        Json.object(
            "ended", Instant.ofEpochMilli(call.endMillis()),
            "method", call.method().toString(),
            "path", call.path(),
            "target", call.target(),
            "route", call.routeIndex() < 0 ? null : call.routeIndex(),
            "route_name", call.route(),
            "cluster", call.cluster(),
            "endpoint", call.endpoint(),
            "locality", call.locality(),
            "attempts", call.attempts(),
            "code", call.code().toString(),
            "http_status", call.httpStatus(),
            "local", call.localReason().map(reason -> reason.text().toString()),
            "duration_ms", call.durationNanos() / NANOS_PER_MILLI,
            "limit_ms", isLimited ? call.timeoutNanos() / (long) NANOS_PER_MILLI : null,
            "limit_source", call.limitSource().map(EffectiveTimeout.Source::text)));
  }
}
