package io.outrigger.observe.admin;

import com.google.gson.JsonObject;
import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.calls.CallStats;
import io.outrigger.dataplane.calls.Histogram;
import io.outrigger.dataplane.downstream.Http2Listener;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Renders the calls of each forward since the start of the process as JSON, {@code GET /calls}. No
 * count ever decreases. To get the rates, error rates and quantiles ({@code durations}) of a
 * period, a client subtracts an earlier reply from a later one.
 */
public final class CallViews {
  private CallViews() {}

  /**
   * @param since the start time of the process
   * @param ports the ports of the forwards
   */
  public static AdminReply reply(Instant now, Instant since, List<Http2Listener> ports) {
    return AdminReply.json(
        200,
        Json.object(
            "time", now,
            "since", since,
            "forwards", ports.stream().map(CallViews::forward).toList()));
  }

  private static JsonObject forward(Http2Listener port) {
    CallStats.Totals calls = port.forward().totals();
    // Each pair: the upper bound of a bucket, in microseconds, and the bucket's number of calls.
    Histogram histogram = calls.durations();
    List<long[]> durations =
        IntStream.range(0, histogram.buckets())
            .filter(i -> histogram.count(i) > 0)
            .mapToObj(i -> new long[] {histogram.bound(i) / 1_000, histogram.count(i)})
            .toList();
    return Json.object(
        "name", port.forward().name(),
        "connections", port.connections(),
        "started", calls.count(CallCounter.STARTED),
        "ended", calls.count(CallCounter.ENDED),
        "active", calls.active(),
        "queued", calls.queued(),
        "cancelled", calls.count(CallCounter.CANCELLED),
        "grpc_status", calls.byGrpcStatus(),
        "http_status", calls.byHttpClass(),
        "local", calls.byLocalReason(),
        "durations", durations);
  }
}
