package io.outrigger.observe.admin;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.AnyThread;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.observe.history.LastCall;
import io.outrigger.observe.history.Minute;
import io.outrigger.observe.history.TrafficView;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Renders the results of past calls as JSON: {@code /history} and {@code /explain?last=true}. */
@AnyThread
public final class HistoryViews {
  private static final double MILLI = 1e3;
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
    var list = new JsonArray();
    for (TrafficView forward : forwards) {
      var clusters = new JsonArray();
      forward.clusters().stream()
          .filter(each -> cluster.map(each.name()::equals).orElse(true))
          .forEach(each -> clusters.add(cluster(each, endpoint)));
      var json = new JsonObject();
      json.addProperty("name", forward.forward());
      json.add("clusters", clusters);
      list.add(json);
    }
    var json = new JsonObject();
    json.add("forwards", list);
    return AdminReply.json(json);
  }

  private static JsonObject cluster(TrafficView.Cluster cluster, Optional<String> endpoint) {
    var json = new JsonObject();
    json.addProperty("name", cluster.name());
    json.add("minutes", minutes(cluster.minutes()));
    var endpoints = new JsonArray();
    cluster.endpoints().stream()
        .filter(each -> endpoint.map(each.address()::equals).orElse(true))
        .forEach(
            each -> {
              var one = new JsonObject();
              one.addProperty("address", each.address());
              one.add("minutes", minutes(each.minutes()));
              endpoints.add(one);
            });
    json.add("endpoints", endpoints);
    return json;
  }

  private static JsonArray minutes(List<Minute> minutes) {
    var list = new JsonArray();
    for (Minute minute : minutes) {
      var json = new JsonObject();
      json.addProperty("time", minute.begin().toString());
      json.addProperty("requests", minute.requests());
      json.addProperty("errors", minute.errors());
      json.addProperty("p50_ms", minute.p50() / MILLI);
      json.addProperty("p90_ms", minute.p90() / MILLI);
      json.addProperty("p99_ms", minute.p99() / MILLI);
      json.addProperty("max_ms", minute.longest() / MILLI);
      list.add(json);
    }
    return list;
  }

  /** Returns the last call of a path; 404 when no such call was kept. */
  public static AdminReply last(Optional<LastCall> found) {
    if (found.isEmpty()) {
      return AdminReply.text(404, "no request of that path has been kept; some are, by sample");
    }
    LastCall call = found.get();
    var json = new JsonObject();
    json.addProperty("ended", Instant.ofEpochMilli(call.endedMillis()).toString());
    json.addProperty("method", call.method());
    json.addProperty("path", call.path());
    json.addProperty("target", call.target());
    json.add(
        "route", call.routeIndex() < 0 ? JsonNull.INSTANCE : new JsonPrimitive(call.routeIndex()));
    json.add("route_name", text(call.route()));
    json.add("cluster", text(call.cluster()));
    json.add("endpoint", text(call.endpoint().map(EndpointAddress::toString)));
    json.add("locality", text(call.locality().map(Locality::toString)));
    json.addProperty("attempts", call.attempts());
    json.addProperty("code", call.code().toString());
    json.addProperty("http_status", call.httpStatus());
    json.add("local", text(call.localReason().map(reason -> reason.text().toString())));
    json.addProperty("duration_ms", call.durationNanos() / NANOS_PER_MILLI);
    json.add("limit_ms", limit(call.limitNanos()));
    json.add("limit_source", text(call.limitSource().map(EffectiveTimeout.Source::text)));
    return AdminReply.json(json);
  }

  private static JsonElement limit(long nanos) {
    return nanos == EffectiveTimeout.NONE
        ? JsonNull.INSTANCE
        : new JsonPrimitive(nanos / (long) NANOS_PER_MILLI);
  }

  private static JsonElement text(Optional<String> value) {
    return value.map(text -> (JsonElement) new JsonPrimitive(text)).orElse(JsonNull.INSTANCE);
  }
}
