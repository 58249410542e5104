package io.outrigger.observe.admin;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.xds.status.OverlayStatus;

/** {@code /overlay}, and the overlaid values in other views (CONTRACT section 11). */
@AnyThread
public final class OverlayViews {
  private OverlayViews() {}

  /** Returns the reply of {@code /overlay}. */
  public static AdminReply reply(OverlayStatus status) {
    var rules = new JsonArray();
    status.rules().forEach(rule -> rules.add(rule(rule)));
    var errors = new JsonArray();
    for (var problem : status.problems()) {
      var error = new JsonObject();
      error.addProperty("file", problem.file().toString());
      error.addProperty("line", problem.line());
      error.addProperty("column", problem.column());
      error.addProperty("message", problem.text());
      errors.add(error);
    }
    var answer = new JsonObject();
    answer.add("rules", rules);
    answer.add("errors", errors);
    return AdminReply.json(200, answer);
  }

  private static JsonObject rule(OverlayStatus.Rule rule) {
    JsonObject json = origin(rule.rule(), "name");
    json.addProperty("mode", rule.rule().mode().label());
    var matched = new JsonObject();
    matched.addProperty("clusters", rule.clusters());
    matched.addProperty("routes", rule.routes());
    json.add("matched", matched);
    var set = new JsonArray();
    for (OverlayStatus.Value value : rule.set()) {
      var each = new JsonObject();
      each.addProperty("resource", value.resource());
      each.addProperty("field", value.field());
      each.add("value", JsonParser.parseString(value.value()));
      set.add(each);
    }
    json.add("set", set);
    var leftOut = new JsonArray();
    for (OverlayStatus.Omission omission : rule.leftOut()) {
      var each = new JsonObject();
      each.addProperty("resource", omission.resource());
      each.addProperty("field", omission.field());
      each.addProperty("reason", omission.reason());
      leftOut.add(each);
    }
    json.add("left_out", leftOut);
    json.addProperty("more_set", rule.moreSet());
    json.addProperty("more_left_out", rule.moreLeftOut());
    return json;
  }

  private static JsonObject origin(OverlayRule rule, String name) {
    var json = new JsonObject();
    json.addProperty(name, rule.name());
    json.addProperty("file", rule.file());
    json.addProperty("line", rule.line());
    return json;
  }

  /** Returns the fields that local policy has set, as {@code [{rule,file,line,field,value}]}. */
  static JsonArray values(OverlayEffect effect) {
    var values = new JsonArray();
    for (OverlayEffect.Value value : effect.set()) {
      JsonObject each = origin(value.rule(), "rule");
      each.addProperty("field", value.field());
      each.add("value", JsonParser.parseString(value.value()));
      values.add(each);
    }
    return values;
  }
}
