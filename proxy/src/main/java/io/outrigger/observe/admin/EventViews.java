package io.outrigger.observe.admin;

import com.google.gson.JsonObject;
import io.outrigger.base.PlainText;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.observe.events.Event;
import io.outrigger.observe.events.EventLog;

/** Renders events as JSON, in the form of CONTRACT section 6. */
public final class EventViews {
  private EventViews() {}

  public static AdminReply list(EventLog.Page page) {
    return AdminReply.json(200, page.events());
  }

  /** Renders server-sent events, with ids from which a reconnecting client can resume. */
  public static String streamed(EventLog.Page page) {
    var text = new StringBuilder();
    for (Event event : page.events()) {
      text.append("id: ").append(event.seq());
      text.append("\ndata: ").append(PlainText.ofJson(Json.tree(event).toString())).append("\n\n");
    }
    return text.toString();
  }

  static JsonObject outlier(OutlierEvent event) {
    JsonObject json = Json.object("time", event.time());
    if (event instanceof OutlierEvent.Ejected ejected) {
      json.addProperty("kind", "eject");
      add(json, ejected.evidence());
      json.add("before", Json.tree(ejected.before()));
      json.add("after", Json.tree(ejected.after()));
      json.addProperty("multiplier", ejected.multiplier());
      json.addProperty("until", ejected.until().toString());
    } else if (event instanceof OutlierEvent.Unenforced unenforced) {
      json.addProperty("kind", "spare");
      json.addProperty("reason", unenforced.reason().word());
      add(json, unenforced.evidence());
      json.add("share", Json.tree(unenforced.share()));
      json.addProperty("multiplier", unenforced.multiplier());
    } else if (event instanceof OutlierEvent.Unejected unejected) {
      json.addProperty("kind", "uneject");
      json.addProperty("reason", unejected.reason().text());
      json.addProperty("since", unejected.since().toString());
      json.addProperty("multiplier", unejected.multiplier());
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
