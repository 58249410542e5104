package io.outrigger.observe.admin;

import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.calls.CallStats;
import io.outrigger.dataplane.calls.Histogram;
import io.outrigger.dataplane.calls.LocalReason;
import io.outrigger.dataplane.downstream.Http2Listener;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Renders the calls of each forward since the start as JSON, {@code GET /calls}. All counts only
 * grow. To get the rates, error rates and quantiles ({@code durations}) of a period, a client
 * subtracts an earlier reply from a later one.
 */
@AnyThread
public final class CallViews {
  private CallViews() {}

  /**
   * @param since the start of the process
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
    var grpc = new JsonObject();
    for (RpcStatus.Code code : RpcStatus.Code.values()) {
      addCount(grpc, code.toString(), calls.byGrpcStatus(code));
    }
    var http = new JsonObject();
    for (int hundreds = 1; hundreds <= 5; hundreds++) {
      addCount(http, hundreds + "xx", calls.byHttpClass(hundreds));
    }
    var local = new JsonObject();
    for (LocalReason reason : LocalReason.values()) {
      addCount(local, reason.word(), calls.byLocalReason(reason));
    }
    // Pairs of the upper bound of a bucket in microseconds and the number of calls in the bucket.
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
        "grpc_status", grpc,
        "http_status", http,
        "local", local,
        "durations", durations);
  }

  private static void addCount(JsonObject json, String name, long count) {
    if (count > 0) {
      json.addProperty(name, count);
    }
  }
}
