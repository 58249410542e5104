package io.outrigger.bench.mesh;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.outrigger.xds.ResourceType;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** The resources of a control plane as messages that are ready to send. On one thread. */
final class ServedResources {
  private final Map<String, Map<String, Any>> byType = new HashMap<>();
  private final Set<String> clientListeners = new HashSet<>();

  /** What a resource is known by. */
  record Key(String typeUrl, String name) {}

  /** Takes {@code resource} in, in place of the one of its name. */
  Key put(Any resource) {
    String type = resource.getTypeUrl();
    String name = nameOf(resource);
    byType.computeIfAbsent(type, unused -> new LinkedHashMap<>()).put(name, resource);
    return new Key(type, name);
  }

  /** Those of the names that exist. */
  List<Any> named(String typeUrl, Collection<String> names) {
    Map<String, Any> all = of(typeUrl);
    return names.stream().map(all::get).filter(Objects::nonNull).toList();
  }

  /** What a client that names nothing gets: everything but the listeners of proxyless clients. */
  List<Any> unnamed(String typeUrl) {
    Stream<Map.Entry<String, Any>> all = of(typeUrl).entrySet().stream();
    return all.filter(entry -> !isForClients(typeUrl, entry.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }

  /**
   * True once a client has asked for all that there is. Clients that walk from routes to clusters
   * name some first and more with each request; the reference control planes in Java and Go (with
   * ADS) answer when all are named, and so does this one. A listener is always one of several.
   */
  boolean isAll(String typeUrl, Collection<String> names) {
    return typeUrl.equals(ResourceType.LISTENER.typeUrl())
        || (names.size() >= of(typeUrl).size() && names.containsAll(of(typeUrl).keySet()));
  }

  private Map<String, Any> of(String typeUrl) {
    return byType.getOrDefault(typeUrl, Map.of());
  }

  private boolean isForClients(String typeUrl, String name) {
    return typeUrl.equals(ResourceType.LISTENER.typeUrl()) && clientListeners.contains(name);
  }

  private String nameOf(Any resource) {
    try {
      if (resource.is(Listener.class)) {
        Listener listener = resource.unpack(Listener.class);
        if (listener.hasApiListener()) {
          clientListeners.add(listener.getName());
        }
        return listener.getName();
      }
      if (resource.is(RouteConfiguration.class)) {
        return resource.unpack(RouteConfiguration.class).getName();
      }
      if (resource.is(Cluster.class)) {
        return resource.unpack(Cluster.class).getName();
      }
      return resource.unpack(ClusterLoadAssignment.class).getClusterName();
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("a resource of type " + resource.getTypeUrl(), e);
    }
  }
}
