package io.outrigger.proxy.admin;

import static io.outrigger.proxy.admin.JsonPieces.ascii;

import com.google.gson.JsonArray;
import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.CallTotals;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.TransportSecurity;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.NodeHead;
import io.outrigger.lb.view.NodeVisitor;
import io.outrigger.proxy.admin.LbViews.Detail;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes trees while they are shown, in the form of CONTRACT section 6.
 *
 * <p>Ten thousand endpoints are written each second for a reader who polls, on the control loop: so
 * what is always the same is a constant with its commas, and what neighbours share is remembered.
 */
@ControlConfined
final class TreeJson implements NodeVisitor {
  private static final byte[] NAME = ascii("{\"name\":");
  private static final byte[] POLICY = ascii(",\"policy\":");
  private static final byte[] NODE_STATE = ascii(",\"state\":");
  private static final byte[] CONFIG = ascii(",\"config\":");
  private static final byte[] DETAIL = ascii(",\"detail\":");
  private static final byte[] OVERLAY = ascii(",\"overlay\":");
  private static final byte[] USED = ascii(",\"used\":");
  private static final byte[] CHILDREN = ascii(",\"children\":[");
  private static final byte[] ENDPOINTS = ascii("],\"endpoints\":[");
  private static final byte[] END = ascii("]}");

  private static final byte[] ADDRESS = ascii("{\"address\":\"");
  private static final byte[] LOCALITY = ascii("\",\"locality\":");
  private static final Map<HealthStatus, byte[]> HEALTHS = new EnumMap<>(HealthStatus.class);
  private static final Map<Connectivity, byte[]> STATES = new EnumMap<>(Connectivity.class);
  private static final byte[] NO_TLS = ascii(",\"tls\":null");
  private static final byte[] PROTOCOL = ascii(",\"tls\":{\"protocol\":");
  private static final byte[] CIPHER = ascii(",\"cipher\":");
  private static final byte[] PEER = ascii(",\"peer\":");
  private static final byte[] PEER_EXPIRES = ascii(",\"peer_expires\":");
  private static final byte[] NOTHING_DETECTED =
      ascii(",\"ejected\":null,\"last_interval\":{\"success\":0,\"failure\":0}");
  private static final byte[] NO_TOTAL = ascii(",\"total\":{\"success\":0,\"failure\":0}");
  private static final byte[] EJECTED = ascii(",\"ejected\":");
  private static final byte[] SINCE = ascii("{\"since\":");
  private static final byte[] UNTIL = ascii(",\"until\":");
  private static final byte[] TIMES = ascii(",\"times\":");
  private static final byte[] BY = ascii(",\"by\":");
  private static final byte[] LAST_INTERVAL = ascii(",\"last_interval\":");
  private static final byte[] TOTAL = ascii(",\"total\":");
  private static final byte[] SUCCESS = ascii("{\"success\":");
  private static final byte[] FAILURE = ascii(",\"failure\":");
  private static final byte[] SESSION = ascii(",\"session\":{\"owner\":");
  private static final byte[] LAST_USE = ascii(",\"last_use\":");
  private static final byte[] CLOSES = ascii(",\"closes\":");
  private static final byte[] HISTORY = ascii(",\"history\":");

  static {
    for (HealthStatus health : HealthStatus.values()) {
      HEALTHS.put(health, ascii(",\"health\":\"" + health + "\",\"weight\":"));
    }
    for (Connectivity state : Connectivity.values()) {
      STATES.put(state, ascii(",\"state\":\"" + state + "\",\"active_requests\":"));
    }
  }

  private final JsonPieces json;
  private final Detail detail;
  private final Map<String, OverlayEffect> overlaid;

  /** By depth: whether a node is not the first child, and whether its endpoints have begun. */
  private final BitSet hasChildren = new BitSet();

  private final BitSet hasEndpoints = new BitSet();
  private int depth;
  private int endpoints;

  private @Nullable Locality lastLocality;
  private String lastText = "";

  TreeJson(JsonPieces json, Detail detail, Map<String, OverlayEffect> overlaid) {
    this.json = json;
    this.detail = detail;
    this.overlaid = overlaid;
  }

  /** How many endpoints were written. */
  int endpoints() {
    return endpoints;
  }

  @Override
  public void enter(NodeHead node) {
    if (hasChildren.get(depth)) {
      json.raw(',');
    }
    hasChildren.set(depth, depth > 0); // roots stand alone
    depth++;
    hasChildren.clear(depth);
    hasEndpoints.clear(depth);
    json.raw(NAME);
    json.text(node.name());
    json.raw(POLICY);
    json.text(node.policy());
    json.raw(NODE_STATE);
    json.text(node.state().toString());
    json.raw(CONFIG);
    json.value(node.config());
    json.raw(DETAIL);
    json.text(node.detail());
    overlay(node);
    if (detail != Detail.CONTRACT) {
      json.raw(USED);
      json.bool(node.isUsed());
    }
    json.raw(CHILDREN);
  }

  /** At the top of the tree of a cluster: which of its values are not the control plane's. */
  private void overlay(NodeHead node) {
    if (overlaid.isEmpty() || !node.policy().equals(LbConfig.OutlierDetecting.POLICY)) {
      return;
    }
    OverlayEffect effect = overlaid.get(node.name());
    if (effect != null && !effect.set().isEmpty()) {
      json.raw(OVERLAY);
      json.raw(OverlayViews.values(effect).toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  @Override
  public void leave() {
    if (!hasEndpoints.get(depth)) {
      json.raw(ENDPOINTS);
    }
    json.raw(END);
    depth--;
  }

  @Override
  public void endpoint(LbEndpoint endpoint) {
    endpoints++;
    if (hasEndpoints.get(depth)) {
      json.raw(',');
    } else {
      hasEndpoints.set(depth);
      json.raw(ENDPOINTS);
    }
    json.raw(ADDRESS);
    address(endpoint.address());
    json.raw(LOCALITY);
    json.text(text(endpoint.locality()));
    json.raw(Objects.requireNonNull(HEALTHS.get(endpoint.health())));
    json.number(endpoint.weight());
    json.raw(Objects.requireNonNull(STATES.get(endpoint.state())));
    json.number(endpoint.calls().active());
    security(endpoint.tls());
    detected(endpoint.detection());
    if (endpoint.affinity().isPresent()) {
      affinity(endpoint.affinity().get());
    }
    if (detail != Detail.CONTRACT) {
      total(endpoint.calls());
    }
    if (detail == Detail.FULL) {
      json.raw(HISTORY);
      history(endpoint.detection());
    }
    json.raw('}');
  }

  private void security(Optional<TransportSecurity> tls) {
    if (tls.isEmpty()) {
      json.raw(NO_TLS);
      return;
    }
    json.raw(PROTOCOL);
    json.text(tls.get().protocol());
    json.raw(CIPHER);
    json.text(tls.get().cipher());
    json.raw(PEER);
    json.text(tls.get().peer());
    json.raw(PEER_EXPIRES);
    json.text(tls.get().peerExpires().toString());
    json.raw('}');
  }

  @SuppressWarnings("ReferenceEquality") // an equal one is written the long way
  private void detected(LbEndpoint.Detection watched) {
    if (watched == LbEndpoint.Detection.NONE) {
      json.raw(NOTHING_DETECTED);
      return;
    }
    json.raw(EJECTED);
    watched.ejection().ifPresentOrElse(this::ejection, json::nullValue);
    json.raw(LAST_INTERVAL);
    counts(watched.succeeded(), watched.failed());
  }

  @SuppressWarnings("ReferenceEquality") // as above
  private void total(CallTotals calls) {
    if (calls == CallTotals.NONE) {
      json.raw(NO_TOTAL);
    } else {
      json.raw(TOTAL);
      counts(calls.succeeded(), calls.failed());
    }
  }

  /** In the form of {@link EndpointAddress#toString}, without making it. */
  private void address(EndpointAddress address) {
    boolean isIp6 = address.ip().indexOf(':') >= 0;
    if (isIp6) {
      json.raw('[');
    }
    json.part(address.ip());
    if (isIp6) {
      json.raw(']');
    }
    json.raw(':');
    json.number(address.port());
  }

  /** Neighbours mostly share their locality. */
  @SuppressWarnings("ReferenceEquality") // an equal one is made a text once more
  private String text(Locality locality) {
    if (locality != lastLocality) {
      lastLocality = locality;
      lastText = locality.toString();
    }
    return lastText;
  }

  private void ejection(LbEndpoint.Ejection ejection) {
    json.raw(SINCE);
    json.text(ejection.since().toString());
    json.raw(UNTIL);
    json.text(ejection.until().toString());
    json.raw(TIMES);
    json.number(ejection.times());
    json.raw(BY);
    json.text(ejection.by().word());
    json.raw('}');
  }

  private void affinity(LbEndpoint.Affinity affinity) {
    json.raw(SESSION);
    json.text(affinity.owner().toString().toLowerCase(Locale.ROOT));
    json.raw(LAST_USE);
    instant(affinity.lastUse());
    json.raw(CLOSES);
    instant(affinity.closes());
    json.raw('}');
  }

  private void instant(Optional<Instant> instant) {
    instant.ifPresentOrElse(time -> json.text(time.toString()), json::nullValue);
  }

  private void counts(long success, long failure) {
    json.raw(SUCCESS);
    json.number(success);
    json.raw(FAILURE);
    json.number(failure);
    json.raw('}');
  }

  private void history(LbEndpoint.Detection watched) {
    var history = new JsonArray();
    watched.history().forEach(event -> history.add(OutlierEventView.json(event)));
    json.raw(history.toString().getBytes(StandardCharsets.UTF_8));
  }
}
