package io.outrigger.observe.admin;

import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallTotals;
import io.outrigger.dataplane.calls.LocalReason;
import java.time.Instant;
import java.util.List;

/**
 * Renders the calls of each forward since the start as JSON, {@code GET /calls}. The difference of
 * two replies gives the rate, the error rate and, from their {@code durations}, quantiles for the
 * time between the replies.
 */
@AnyThread
public final class CallViews {
  private CallViews() {}

  /**
   * The calls of one forward.
   *
   * @param connections open local connections
   */
  public record Forward(String name, int connections, CallTotals calls) {}

  /**
   * Returns the whole reply.
   *
   * @param now the current time of this process's clock
   * @param since the start of the process
   */
  public static AdminReply reply(Instant now, Instant since, List<Forward> forwards) {
    return AdminReply.json(
        Json.object(
            "time", now,
            "since", since,
            "forwards", forwards.stream().map(CallViews::forward).toList()));
  }

  private static JsonObject forward(Forward forward) {
    CallTotals calls = forward.calls();
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
    // pairs: the upper bound of a bucket in microseconds, and the number of calls in that bucket
    List<long[]> durations =
        calls.durations().stream().map(each -> new long[] {each.micros(), each.count()}).toList();
    return Json.object(
        "name", forward.name(),
        "connections", forward.connections(),
        "started", calls.started(),
        "ended", calls.ended(),
        "active", calls.active(),
        "queued", calls.queued(),
        "cancelled", calls.cancelled(),
        "grpc_status", grpc,
        "http_status", http,
        "local", local,
        "durations", durations);
  }

  /** Adds a count, unless it is zero. */
  private static void addCount(JsonObject json, String name, long count) {
    if (count > 0) {
      json.addProperty(name, count);
    }
  }
}
