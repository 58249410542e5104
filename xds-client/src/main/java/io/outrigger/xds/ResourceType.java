package io.outrigger.xds;

import io.outrigger.base.Count;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.config.route.RouteTable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of the four xDS resource types (v3).
 *
 * @param label the short name: {@code lds}, {@code rds}, {@code cds} or {@code eds}
 * @param noun the name of the type in messages
 * @param fullStateOfTheWorld whether a response without a resource deletes the resource (A57-34)
 */
public record ResourceType<T>(
    String label, String noun, String typeUrl, boolean fullStateOfTheWorld, Class<T> valueType) {
  private static final int NAMES_SHOWN = 10;

  public static final ResourceType<ListenerResource> LISTENER =
      new ResourceType<>(
          "lds",
          "listener",
          "type.googleapis.com/envoy.config.listener.v3.Listener",
          true,
          ListenerResource.class);
  public static final ResourceType<RouteTable> ROUTE =
      new ResourceType<>(
          "rds",
          "route configuration",
          "type.googleapis.com/envoy.config.route.v3.RouteConfiguration",
          false,
          RouteTable.class);
  public static final ResourceType<ClusterResource> CLUSTER =
      new ResourceType<>(
          "cds",
          "cluster",
          "type.googleapis.com/envoy.config.cluster.v3.Cluster",
          true,
          ClusterResource.class);
  public static final ResourceType<EndpointSet> ENDPOINT =
      new ResourceType<>(
          "eds",
          "endpoints",
          "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
          false,
          EndpointSet.class);

  /** All types, in the order of references: a listener refers to routes, and so on. */
  public static final List<ResourceType<?>> ALL = List.of(LISTENER, ROUTE, CLUSTER, ENDPOINT);

  /** Returns the description of a resource in messages, such as {@code cluster "pay"}. */
  public String subject(String name) {
    return noun + " \"" + name + "\"";
  }

  /** Returns a text such as {@code cluster "pay"} or {@code 2 cds resources (pay, orders)}. */
  public String subject(List<String> names) {
    return names.size() == 1
        ? subject(names.get(0))
        : Count.of(names.size(), label + " resource") + " (" + Count.list(names, NAMES_SHOWN) + ")";
  }

  /** Replaces the generated {@code equals}, which would delay each start by milliseconds. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ResourceType<?> type && label.equals(type.label);
  }

  @Override
  public int hashCode() {
    return label.hashCode();
  }

  @Override
  public String toString() {
    return label;
  }
}
