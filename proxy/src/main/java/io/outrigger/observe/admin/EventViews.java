package io.outrigger.observe.admin;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Count;
import io.outrigger.base.PlainText;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.observe.events.Event;
import io.outrigger.observe.events.EventLog;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.stream.AdsObserver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Renders events as JSON, in the form of CONTRACT section 6. The message about a response of a
 * control plane has the differences between two versions of a resource; it is formed when a client
 * first reads the event, and cached.
 */
@AnyThread
public final class EventViews {
  private static final int MAX_CACHED = 500;
  private static final int LINES_IN_MESSAGE = 5;

  private final Function<RawResource, String> toJson;
  private final Map<Long, String> cachedMessages = new ConcurrentHashMap<>();

  /**
   * @param toJson renders a resource as proto3 JSON; does not fail on unknown messages
   */
  public EventViews(Function<RawResource, String> toJson) {
    this.toJson = toJson;
  }

  public AdminReply list(EventLog.Page page) {
    return AdminReply.json(200, page.events().stream().map(this::json).toList());
  }

  /** Renders a part of a stream. The event ids let a reader that lost its connection resume. */
  public String streamed(EventLog.Page page) {
    var text = new StringBuilder();
    for (Event event : page.events()) {
      text.append("id: ").append(event.seq());
      text.append("\ndata: ").append(PlainText.ofJson(json(event).toString())).append("\n\n");
    }
    return text.toString();
  }

  private JsonObject json(Event event) {
    return Json.object(
        "seq", event.seq(),
        "time", event.time(),
        "kind", event.kind().word(),
        "forward", event.forward(),
        "subject", event.subject(),
        "message", message(event));
  }

  private String message(Event event) {
    if (cachedMessages.size() >= MAX_CACHED) {
      cachedMessages.clear();
    }
    String message;
    if (event.cause() instanceof Event.Line line) {
      message = line.text();
    } else if (event.cause() instanceof Event.Balancing balancing) {
      LbEvent of = balancing.event();
      message =
          of.endpoint().isPresent() ? "cluster " + of.cluster() + ": " + of.text() : of.text();
    } else if (event.cause() instanceof Event.Answer answer) {
      message =
          cachedMessages.computeIfAbsent(event.seq(), seq -> Event.shortened(message(answer)));
    } else {
      throw new AssertionError(event.cause());
    }
    return Event.shortened(message);
  }

  private String message(Event.Answer answer) {
    AdsObserver.Response response = answer.response();
    var text = new StringBuilder();
    if (answer.refusal().isEmpty()) {
      text.append(
          "accepted %s version \"%s\" of %s: %s, %d changed"
              .formatted(
                  response.type().label(),
                  response.version(),
                  answer.server(),
                  Count.of(response.valid(), "resource"),
                  response.changed()));
    } else {
      text.append(
          "refused %s version \"%s\" of %s: %s"
              .formatted(
                  response.type().label(), response.version(), answer.server(), answer.refusal()));
    }
    for (AdsObserver.Change change : response.changes()) {
      String word =
          change.isRefused() ? "refused" : change.before().isPresent() ? "changed" : "is new";
      text.append("; ").append(change.name()).append(' ').append(word);
      List<String> lines =
          change
              .before()
              .map(before -> JsonDifference.of(body(before), body(change.after())))
              .orElse(List.of());
      for (String line : lines.subList(0, Math.min(lines.size(), LINES_IN_MESSAGE))) {
        text.append(", ").append(line);
      }
      if (lines.size() > LINES_IN_MESSAGE) {
        text.append(", …");
      }
    }
    return text.toString();
  }

  private JsonElement body(RawResource resource) {
    return Json.parsed(toJson.apply(resource));
  }

  /** Returns a decision of outlier detection about an endpoint, with all its numbers. */
  static JsonObject outlier(OutlierEvent event) {
    JsonObject json = Json.object("time", event.time());
    if (event instanceof OutlierEvent.Ejected ejected) {
      json.addProperty("kind", "eject");
      add(json, ejected.evidence());
      json.add("before", Json.tree(ejected.before()));
      json.add("after", Json.tree(ejected.after()));
      json.addProperty("multiplier", ejected.multiplier());
      json.addProperty("until", ejected.until().toString());
    } else if (event instanceof OutlierEvent.Spared spared) {
      json.addProperty("kind", "spare");
      json.addProperty("reason", spared.reason().word());
      add(json, spared.evidence());
      json.add("share", Json.tree(spared.share()));
      json.addProperty("multiplier", spared.multiplier());
    } else if (event instanceof OutlierEvent.Returned returned) {
      json.addProperty("kind", "uneject");
      json.addProperty("reason", returned.reason().text());
      json.addProperty("since", returned.since().toString());
      json.addProperty("multiplier", returned.multiplier());
    } else {
      throw new AssertionError(event);
    }
    return json;
  }

  private static void add(JsonObject json, OutlierEvent.Evidence evidence) {
    json.addProperty("by", evidence.method().word());
    Json.tree(evidence).getAsJsonObject().asMap().forEach(json::add);
  }
}
