package io.outrigger.observe.admin;

import com.google.gson.JsonObject;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.xds.status.OverlayStatus;
import java.util.List;

/** Renders {@code /overlay}, and values of local policy for other views (CONTRACT section 11). */
public final class OverlayViews {
  private OverlayViews() {}

  public static AdminReply reply(OverlayStatus status) {
    return AdminReply.json(
        200,
        Json.object(
            "rules", status.rules().stream().map(OverlayViews::rule).toList(),
            "errors", status.problems()));
  }

  private static JsonObject rule(OverlayStatus.Rule status) {
    OverlayRule rule = status.rule();
    return Json.object(
        "name", rule.name(),
        "file", rule.file(),
        "line", rule.line(),
        "mode", rule.mode().label(),
        "matched", Json.object("clusters", status.clusters(), "routes", status.routes()),
        "set",
            status.set().stream()
                .map(
                    each ->
                        Json.object(
                            "resource", each.resource(),
                            "field", each.field(),
                            "value", Json.parsed(each.value())))
                .toList(),
        "left_out", status.leftOut());
  }

  /** Returns the fields that local policy has set, as {@code [{rule,file,line,field,value}]}. */
  static List<JsonObject> values(OverlayEffect effect) {
    return effect.set().stream()
        .map(
            each ->
                Json.object(
                    "rule", each.rule().name(),
                    "file", each.rule().file(),
                    "line", each.rule().line(),
                    "field", each.field(),
                    "value", Json.parsed(each.value())))
        .toList();
  }
}
