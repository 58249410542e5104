package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.outrigger.base.ControlConfined;
import io.outrigger.xds.ResourceType;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the client of one stream wants of one type, and what it was told. */
@ControlConfined
final class LocalSubscription {
  private final ResourceType<?> type;
  private Set<String> names = Set.of();
  private boolean asked;
  private boolean wildcard;
  private boolean named;
  private String nonce = "";
  private String toldVersion = "";

  /** By name; empty when the client was told that there is none. */
  private Map<String, Optional<Any>> told = new HashMap<>();

  LocalSubscription(ResourceType<?> type) {
    this.type = type;
  }

  ResourceType<?> type() {
    return type;
  }

  /** Takes a subscription, an ACK or a NACK: they differ in nothing that matters here. */
  void onRequest(DiscoveryRequest request) {
    if (asked && !nonce.equals(request.getResponseNonce())) {
      return; // overtaken by a response; the answer to that one is on its way
    }
    Set<String> wanted = new LinkedHashSet<>(request.getResourceNamesList());
    wildcard = wanted.isEmpty() && (wildcard || !asked); // only a first request can begin one
    named |= !names.containsAll(wanted);
    asked = true;
    names = wanted;
    if (!type.fullStateOfTheWorld() && !wildcard) {
      told.keySet().retainAll(names); // named again, it is news again
    }
  }

  void onSent(String newNonce) {
    nonce = newNonce;
  }

  /**
   * What the client is to be told now; nothing when it knows all. A response of listeners or
   * clusters is the whole state; one of the other types holds what is new (A57-34).
   */
  Map<String, Optional<Any>> take(ResourceSnapshot.OfType resources) {
    if (!asked || (names.isEmpty() && !wildcard)) {
      return Map.of();
    }
    if (!named && resources.version().equals(toldVersion)) {
      return Map.of();
    }
    Map<String, Optional<Any>> state = state(resources);
    Map<String, Optional<Any>> news = new LinkedHashMap<>(state);
    if (!type.fullStateOfTheWorld()) {
      news.entrySet().removeIf(entry -> entry.getValue().equals(told.get(entry.getKey())));
    }
    told = state;
    toldVersion = resources.version();
    named = false;
    return news;
  }

  private Map<String, Optional<Any>> state(ResourceSnapshot.OfType resources) {
    Map<String, Optional<Any>> state = new LinkedHashMap<>();
    if (type.fullStateOfTheWorld() || wildcard) {
      resources.resources().forEach((name, any) -> state.put(name, Optional.of(any)));
    }
    for (String name : names) {
      state.putIfAbsent(name, Optional.ofNullable(resources.resources().get(name)));
    }
    return state;
  }
}
