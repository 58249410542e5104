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

/**
 * The names that the client of one stream requests of one type, and the resources sent to the
 * client.
 */
@ControlConfined
final class LocalSubscription {
  private final ResourceType<?> type;
  private Set<String> names = Set.of();
  private boolean requested;
  private boolean wildcard;
  private boolean named;
  private String nonce = "";
  private String sentVersion = "";

  /**
   * The resources that were sent, by name. A name has an empty value if it was reported as missing.
   */
  private Map<String, Optional<Any>> sent = new HashMap<>();

  LocalSubscription(ResourceType<?> type) {
    this.type = type;
  }

  ResourceType<?> type() {
    return type;
  }

  /** Handles a subscription, an ACK or a NACK in the same way. */
  void onRequest(DiscoveryRequest request) {
    if (requested && !nonce.equals(request.getResponseNonce())) {
      return; // sent before the last response; the answer to that response follows
    }
    Set<String> wanted = new LinkedHashSet<>(request.getResourceNamesList());
    wildcard = wanted.isEmpty() && (wildcard || !requested); // starts with the first request
    named |= !names.containsAll(wanted);
    requested = true;
    names = wanted;
    if (!type.fullStateOfTheWorld() && !wildcard) {
      sent.keySet().retainAll(names); // requested again, a name is sent again
    }
  }

  void onSent(String newNonce) {
    nonce = newNonce;
  }

  /**
   * Returns the resources to send now, and records them as sent. Returns nothing when the client
   * has every resource. A response of listeners or clusters contains the full state; a response of
   * other types contains only changes (A57-34).
   */
  Map<String, Optional<Any>> takeDue(ResourceSnapshot.OfType resources) {
    if (!requested || (names.isEmpty() && !wildcard)) {
      return Map.of();
    }
    if (!named && resources.version().equals(sentVersion)) {
      return Map.of();
    }
    Map<String, Optional<Any>> state = state(resources);
    Map<String, Optional<Any>> due = new LinkedHashMap<>(state);
    if (!type.fullStateOfTheWorld()) {
      due.entrySet().removeIf(entry -> entry.getValue().equals(sent.get(entry.getKey())));
    }
    sent = state;
    sentVersion = resources.version();
    named = false;
    return due;
  }

  private Map<String, Optional<Any>> state(ResourceSnapshot.OfType resources) {
    Map<String, Optional<Any>> state = new LinkedHashMap<>();
    if (type.fullStateOfTheWorld() || wildcard) {
      resources.resources().forEach((name, any) -> state.put(name, Optional.of(any)));
    }
    for (String name : names) {
      if (!state.containsKey(name)) {
        state.put(name, find(name, resources.resources()));
      }
    }
    return state;
  }

  private Optional<Any> find(String name, Map<String, Any> resources) {
    Any found = resources.get(name);
    return found == null && type.equals(ResourceType.LISTENER)
        ? NamedResource.listenerAt(name, resources.values())
        : Optional.ofNullable(found);
  }
}
