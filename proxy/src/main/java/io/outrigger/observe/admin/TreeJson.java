package io.outrigger.observe.admin;

import com.google.gson.JsonObject;
import com.google.gson.stream.JsonWriter;
import io.outrigger.base.ControlConfined;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.NodeHead;
import io.outrigger.lb.view.NodeVisitor;
import io.outrigger.observe.admin.LbViews.Detail;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.Map;

/**
 * Writes trees as JSON while they are visited, in the form of CONTRACT section 6. The writer runs
 * on the control loop and keeps no object of an endpoint that is written, however many endpoints
 * there are (decision proxy-0016).
 */
@ControlConfined
final class TreeJson implements NodeVisitor {
  private final JsonWriter json;
  private final Detail detail;
  private final Map<String, OverlayEffect> overlaid;

  /** Whether the list of endpoints has begun, for the open node at each depth. */
  private final BitSet hasEndpoints = new BitSet();

  private int depth;

  TreeJson(JsonWriter json, Detail detail, Map<String, OverlayEffect> overlaid) {
    this.json = json;
    this.detail = detail;
    this.overlaid = overlaid;
  }

  @Override
  public void enter(NodeHead node) {
    depth++;
    hasEndpoints.clear(depth);
    try {
      json.beginObject();
      json.name("name").value(node.name());
      json.name("policy").value(node.policy());
      json.name("state").value(node.state().toString());
      Json.write(node.config(), json.name("config"));
      json.name("detail").value(node.detail());
      overlay(node);
      if (detail != Detail.CONTRACT) {
        json.name("used").value(node.isUsed());
      }
      json.name("children").beginArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory streams do not fail
    }
  }

  /** Writes the overlaid values at the top of a cluster's tree. */
  private void overlay(NodeHead node) throws IOException {
    if (overlaid.isEmpty() || !node.policy().equals(LbConfig.OutlierDetecting.POLICY)) {
      return;
    }
    OverlayEffect effect = overlaid.get(node.name());
    if (effect != null && !effect.set().isEmpty()) {
      Json.write(OverlayViews.values(effect), json.name("overlay"));
    }
  }

  @Override
  public void leave() {
    try {
      beginEndpoints();
      json.endArray().endObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    depth--;
  }

  private void beginEndpoints() throws IOException {
    if (!hasEndpoints.get(depth)) {
      hasEndpoints.set(depth);
      json.endArray().name("endpoints").beginArray();
    }
  }

  @Override
  public void endpoint(LbEndpoint endpoint) {
    try {
      beginEndpoints();
      Json.write(json(endpoint), json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonObject json(LbEndpoint endpoint) {
    LbEndpoint.Detection detection = endpoint.detection();
    JsonObject object =
        Json.object(
            "address", endpoint.address(),
            "locality", endpoint.backend().locality(),
            "health", endpoint.health().toString(),
            "weight", endpoint.backend().endpoint().weight(),
            "state", endpoint.state().toString(),
            "active_requests", endpoint.calls().active(),
            "tls", endpoint.link().tls(),
            "ejected", detection.ejection(),
            "last_interval", counts(detection.succeeded(), detection.failed()));
    if (detail != Detail.CONTRACT) {
      object.add("total", counts(endpoint.calls().succeeded(), endpoint.calls().failed()));
    }
    if (detail == Detail.FULL) {
      object.add(
          "history", Json.tree(detection.history().stream().map(EventViews::outlier).toList()));
    }
    return object;
  }

  private static JsonObject counts(long success, long failure) {
    return Json.object("success", success, "failure", failure);
  }
}
