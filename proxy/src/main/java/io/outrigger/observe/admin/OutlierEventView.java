package io.outrigger.observe.admin;

import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import io.outrigger.lb.view.OutlierEvent;

/** Renders a decision of outlier detection about an endpoint as JSON, with all its numbers. */
@AnyThread
final class OutlierEventView {
  private OutlierEventView() {}

  static JsonObject json(OutlierEvent event) {
    var json = new JsonObject();
    json.addProperty("time", event.time().toString());
    if (event instanceof OutlierEvent.Ejected ejected) {
      json.addProperty("kind", "eject");
      add(json, ejected.evidence());
      add(json, "before", ejected.before());
      add(json, "after", ejected.after());
      json.addProperty("multiplier", ejected.multiplier());
      json.addProperty("until", ejected.until().toString());
    } else if (event instanceof OutlierEvent.Spared spared) {
      json.addProperty("kind", "spare");
      json.addProperty("reason", spared.reason().word());
      add(json, spared.evidence());
      add(json, "share", spared.share());
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
    json.addProperty("volume", evidence.volume());
    json.addProperty("hosts", evidence.hosts());
    if (evidence instanceof OutlierEvent.LowSuccessRate low) {
      json.addProperty("success_rate", low.successRate());
      json.addProperty("mean", low.mean());
      json.addProperty("standard_deviation", low.deviation());
      json.addProperty("threshold", low.threshold());
    } else if (evidence instanceof OutlierEvent.HighFailurePercentage high) {
      json.addProperty("failure_percentage", high.failurePercentage());
      json.addProperty("threshold", high.threshold());
    } else {
      throw new AssertionError(evidence);
    }
  }

  private static void add(JsonObject json, String name, OutlierEvent.Share share) {
    var numbers = new JsonObject();
    numbers.addProperty("ejected", share.ejected());
    numbers.addProperty("total", share.total());
    json.add(name, numbers);
  }
}
