package io.outrigger.observe.admin;

import com.google.gson.JsonArray;
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
    var list = new JsonArray();
    forwards.forEach(forward -> list.add(forward(forward)));
    var json = new JsonObject();
    json.addProperty("time", now.toString());
    json.addProperty("since", since.toString());
    json.add("forwards", list);
    return AdminReply.json(json);
  }

  private static JsonObject forward(Forward forward) {
    CallTotals calls = forward.calls();
    var json = new JsonObject();
    json.addProperty("name", forward.name());
    json.addProperty("connections", forward.connections());
    json.addProperty("started", calls.started());
    json.addProperty("ended", calls.ended());
    json.addProperty("active", calls.active());
    json.addProperty("queued", calls.queued());
    json.addProperty("cancelled", calls.cancelled());
    json.add("grpc_status", byGrpcStatus(calls));
    json.add("http_status", byHttpClass(calls));
    json.add("local", byLocalReason(calls));
    json.add("durations", durations(calls));
    return json;
  }

  /**
   * Returns the number of calls per status; a status without calls is left out, here and in the
   * next two methods.
   */
  private static JsonObject byGrpcStatus(CallTotals calls) {
    var json = new JsonObject();
    for (RpcStatus.Code code : RpcStatus.Code.values()) {
      addCount(json, code.toString(), calls.byGrpcStatus(code));
    }
    return json;
  }

  private static JsonObject byHttpClass(CallTotals calls) {
    var json = new JsonObject();
    for (int hundreds = 1; hundreds <= 5; hundreds++) {
      addCount(json, hundreds + "xx", calls.byHttpClass(hundreds));
    }
    return json;
  }

  private static JsonObject byLocalReason(CallTotals calls) {
    var json = new JsonObject();
    for (LocalReason reason : LocalReason.values()) {
      addCount(json, reason.word(), calls.byLocalReason(reason));
    }
    return json;
  }

  /**
   * Returns pairs: the upper bound of a bucket in microseconds, and the number of calls in that
   * bucket.
   */
  private static JsonArray durations(CallTotals calls) {
    var json = new JsonArray();
    for (CallTotals.Durations bucket : calls.durations()) {
      var pair = new JsonArray();
      pair.add(bucket.micros());
      pair.add(bucket.count());
      json.add(pair);
    }
    return json;
  }

  private static void addCount(JsonObject json, String name, long count) {
    if (count > 0) {
      json.addProperty(name, count);
    }
  }
}
