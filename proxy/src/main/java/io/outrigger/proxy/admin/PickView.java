package io.outrigger.proxy.admin;

import static io.outrigger.proxy.admin.JsonPieces.ascii;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.tls.EndpointTls;
import io.outrigger.config.tls.ProviderInstance;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a cluster's picker would answer, beside the tree that made the picker: who may be picked,
 * and of everybody else why not. What there is of each endpoint is written at once: ten thousand of
 * them as objects would be copied into the old generation (decision proxy-0016).
 */
@AnyThread
final class PickView {
  private static final byte[] CANDIDATES = ascii(",\"candidates\":[");
  private static final byte[] EXCLUDED = ascii("],\"excluded\":[");
  private static final byte[] END = ascii("]");
  private static final byte[] ADDRESS = ascii("{\"address\":");
  private static final byte[] LOCALITY = ascii(",\"locality\":");
  private static final byte[] TLS = ascii(",\"tls\":");
  private static final byte[] PROBABILITY = ascii(",\"probability\":");
  private static final byte[] REASON = ascii(",\"reason\":");

  /** An endpoint that may be picked, by its first address. */
  private record Candidate(
      EndpointAddress address, EndpointAddress picked, Optional<Locality> locality) {}

  private final LbNode tree;
  private final PickPlan plan;
  private final Map<Candidate, Double> candidates = new LinkedHashMap<>();
  private final Map<RpcStatus, Double> failures = new LinkedHashMap<>();
  private final Set<EndpointAddress> included = new HashSet<>();
  private double waits;

  PickView(LbNode tree, PickPlan plan) {
    this.tree = tree;
    this.plan = plan;
    plan.forEachResult(1, this::add);
  }

  /** Adds the members that are about no single endpoint. */
  void addTo(JsonObject json) {
    var path = new JsonArray();
    addPath(tree, path);
    json.add("path", path);
    addSteps(json, plan);
    json.addProperty("waits", waits);
    var list = new JsonArray();
    failures.forEach((status, share) -> list.add(failure(status, share)));
    json.add("failures", list);
  }

  /**
   * Writes the members {@code candidates} and {@code excluded} behind those that an object has.
   *
   * @return how many endpoints they list
   */
  int writeTo(JsonPieces json) {
    var list = new EndpointList(json);
    json.raw(CANDIDATES);
    candidates.forEach(list::candidate);
    json.raw(EXCLUDED);
    list.isFirst = true;
    exclude(list, tree, "");
    json.raw(END);
    return list.count;
  }

  /** Writes endpoints, with commas between those of one list. */
  private static final class EndpointList {
    private final JsonPieces json;
    private boolean isFirst = true;
    private int count;

    EndpointList(JsonPieces json) {
      this.json = json;
    }

    void candidate(Candidate candidate, double probability) {
      begin(candidate.picked(), candidate.locality().map(Locality::toString).orElse(""));
      json.raw(PROBABILITY);
      json.value(probability);
      json.raw('}');
    }

    void excluded(LbEndpoint endpoint, String reason) {
      begin(endpoint.address(), endpoint.locality().toString());
      json.raw(REASON);
      json.text(reason);
      json.raw('}');
    }

    private void begin(EndpointAddress address, String locality) {
      if (!isFirst) {
        json.raw(',');
      }
      isFirst = false;
      count++;
      json.raw(ADDRESS);
      json.text(address.toString());
      json.raw(LOCALITY);
      json.text(locality);
      json.raw(TLS);
      address.tls().ifPresentOrElse(tls -> json.value(tls(tls)), json::nullValue);
    }

    /** What a connection to the endpoint begins with (A29). */
    private static Map<String, Object> tls(EndpointTls tls) {
      UpstreamTls settings = tls.settings();
      return Map.of(
          "identity",
          settings.identity().map(ProviderInstance::instance).orElse(""),
          "roots",
          settings.roots() instanceof TrustSource.Provider provider
              ? provider.instance().instance()
              : "system",
          "server_name",
          tls.serverName().orElse(""),
          "accepts",
          settings.sanMatchers().stream().map(Object::toString).toList());
    }
  }

  private void add(PickResult result, double probability) {
    if (result instanceof PickResult.Use use) {
      EndpointAddress first = use.subchannel().endpoint().address();
      included.add(first);
      var candidate = new Candidate(first, use.subchannel().address(), use.subchannel().locality());
      candidates.merge(candidate, probability, Double::sum);
    } else if (result instanceof PickResult.Fail fail) {
      failures.merge(fail.status(), probability, Double::sum);
    } else if (result instanceof PickResult.Drop drop) {
      failures.merge(drop.status(), probability, Double::sum);
    } else {
      waits += probability;
    }
  }

  private static JsonObject failure(RpcStatus status, double probability) {
    var json = new JsonObject();
    json.addProperty("probability", probability);
    json.addProperty("code", status.code().toString());
    json.addProperty("message", status.message());
    return json;
  }

  /** From the cluster down to the leaves, along the children that get calls. */
  private static void addPath(LbNode node, JsonArray path) {
    var json = new JsonObject();
    json.addProperty("name", node.name());
    json.addProperty("policy", node.policy());
    json.addProperty("state", node.state().toString());
    json.addProperty("detail", node.detail());
    path.add(json);
    node.children().stream().filter(LbNode::isUsed).forEach(child -> addPath(child, path));
  }

  /** What stands between the cluster and its endpoints. */
  private static void addSteps(JsonObject json, PickPlan plan) {
    if (plan instanceof PickPlan.Dropping dropping) {
      var drops = new JsonArray();
      for (PickPlan.Drop drop : dropping.drops()) {
        var category = new JsonObject();
        category.addProperty("category", drop.category().category());
        category.addProperty("share", drop.category().share().asDouble());
        drops.add(category);
      }
      json.add("drops", drops);
      addSteps(json, dropping.rest());
    } else if (plan instanceof PickPlan.Limited limited) {
      var breaker = new JsonObject();
      breaker.addProperty("in_flight", limited.inFlight());
      breaker.addProperty("limit", limited.limit());
      breaker.addProperty("full", limited.isFull());
      json.add("circuit_breaker", breaker);
      addSteps(json, limited.rest());
    } else if (plan instanceof PickPlan.Preferring preferring) {
      addSteps(json, preferring.rest());
    } else if (plan instanceof PickPlan.Shared shared && !shared.shares().isEmpty()) {
      addSteps(json, shared.shares().get(0).plan());
    } else if (plan instanceof PickPlan.Hashed hashed) {
      var hash = new JsonObject();
      hash.addProperty("source", hashed.source());
      hashed.hash().ifPresent(value -> hash.addProperty("value", Long.toUnsignedString(value)));
      hash.addProperty("ring_slot", hashed.place());
      hash.addProperty("ring_size", hashed.size());
      hash.addProperty("passed_over", hashed.passed());
      json.add("hash", hash);
    }
  }

  /**
   * @param unused what keeps calls away from all beneath; empty while nothing does
   */
  private void exclude(EndpointList list, LbNode node, String unused) {
    for (LbNode child : node.children()) {
      exclude(list, child, unused.isEmpty() && !child.isUsed() ? unused(child) : unused);
    }
    for (LbEndpoint endpoint : node.endpoints()) {
      if (!included.contains(endpoint.address())) {
        list.excluded(endpoint, reason(endpoint, unused));
      }
    }
  }

  private static String unused(LbNode node) {
    return node.name()
        + (node.state() == Connectivity.READY
            ? " is not in use"
            : " is not in use, it is in " + node.state());
  }

  private String reason(LbEndpoint endpoint, String unused) {
    if (!endpoint.health().isUsable()) {
      return "left out for its health, " + endpoint.health();
    }
    if (endpoint.detection().ejection().isPresent()) {
      LbEndpoint.Ejection ejection = endpoint.detection().ejection().get();
      return "ejected until %s (%s, %sthe base ejection time)"
          .formatted(
              ejection.until().truncatedTo(ChronoUnit.MILLIS),
              ejection.by().word(),
              ejection.times() == 1 ? "" : ejection.times() + " times ");
    }
    if (!unused.isEmpty()) {
      return unused;
    }
    return switch (endpoint.state()) {
      case TRANSIENT_FAILURE -> "cannot be connected to: " + endpoint.failure();
      case CONNECTING -> "is being connected";
      case IDLE -> "is not connected";
      case READY -> {
        if (candidates.isEmpty() && !failures.isEmpty()) {
          yield "the call fails before an endpoint is picked: "
              + failures.keySet().iterator().next().message();
        }
        yield plan.whyNotOthers().orElse("the picker does not choose it at the moment");
      }
    };
  }
}
