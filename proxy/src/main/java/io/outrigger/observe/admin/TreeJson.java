package io.outrigger.observe.admin;

import com.google.gson.stream.JsonWriter;
import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.TransportSecurity;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.NodeHead;
import io.outrigger.lb.view.NodeVisitor;
import io.outrigger.observe.admin.LbViews.Detail;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes trees as JSON while they are visited, in the form of CONTRACT section 6. The writer runs
 * on the control loop and keeps no object per endpoint, however many endpoints there are (decision
 * proxy-0016).
 */
@ControlConfined
final class TreeJson implements NodeVisitor {
  private final JsonWriter json;
  private final Detail detail;
  private final Map<String, OverlayEffect> overlaid;

  /** Whether the list of endpoints has begun, for the open node at each depth. */
  private final BitSet hasEndpoints = new BitSet();

  private int depth;
  private @Nullable Locality lastLocality;
  private String lastText = "";

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
      write(endpoint);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(LbEndpoint endpoint) throws IOException {
    json.beginObject();
    json.name("address").value(endpoint.address().toString());
    json.name("locality").value(text(endpoint.backend().locality()));
    json.name("health").value(endpoint.health().toString());
    json.name("weight").value(endpoint.backend().endpoint().weight());
    json.name("state").value(endpoint.state().toString());
    json.name("active_requests").value(endpoint.calls().active());
    json.name("tls");
    security(endpoint.link().tls());
    json.name("ejected");
    if (endpoint.detection().ejection().isPresent()) {
      Json.write(endpoint.detection().ejection().get(), json);
    } else {
      json.nullValue();
    }
    json.name("last_interval");
    counts(endpoint.detection().succeeded(), endpoint.detection().failed());
    if (endpoint.affinity().isPresent()) {
      Json.write(endpoint.affinity().get(), json.name("session"));
    }
    if (detail != Detail.CONTRACT) {
      json.name("total");
      counts(endpoint.calls().succeeded(), endpoint.calls().failed());
    }
    if (detail == Detail.FULL) {
      Json.write(
          endpoint.detection().history().stream().map(EventViews::outlier).toList(),
          json.name("history"));
    }
    json.endObject();
  }

  /**
   * Returns the text of a locality. Consecutive endpoints mostly share their locality, so the last
   * text is cached.
   */
  @SuppressWarnings("ReferenceEquality") // at worst, an equal locality is rendered again
  private String text(Locality locality) {
    if (locality != lastLocality) {
      lastLocality = locality;
      lastText = locality.toString();
    }
    return lastText;
  }

  private void security(Optional<TransportSecurity> tls) throws IOException {
    if (tls.isEmpty()) {
      json.nullValue();
      return;
    }
    json.beginObject();
    json.name("protocol").value(tls.get().protocol());
    json.name("cipher").value(tls.get().cipher());
    json.name("peer").value(tls.get().peer());
    json.name("peer_expires").value(tls.get().peerExpires().toString());
    json.endObject();
  }

  private void counts(long success, long failure) throws IOException {
    json.beginObject();
    json.name("success").value(success);
    json.name("failure").value(failure);
    json.endObject();
  }
}
