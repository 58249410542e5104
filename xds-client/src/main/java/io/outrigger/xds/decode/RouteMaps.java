package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the bytes say of the maps in a {@code RouteConfiguration}: see {@link WireFields}.
 *
 * @param overridden whether filters are overridden anywhere (A39); the maps for it are let be if
 *     not
 * @param metadata of routes, by the places of the virtual host and of the route in it
 */
record RouteMaps(boolean overridden, Map<List<Integer>, ByteString> metadata) {
  static final RouteMaps NONE = new RouteMaps(false, Map.of());

  private static final int[] METADATA = {
    RouteConfiguration.VIRTUAL_HOSTS_FIELD_NUMBER,
    VirtualHost.ROUTES_FIELD_NUMBER,
    Route.METADATA_FIELD_NUMBER
  };

  private static final int[][] OVERRIDES = {
    {
      RouteConfiguration.VIRTUAL_HOSTS_FIELD_NUMBER,
      VirtualHost.TYPED_PER_FILTER_CONFIG_FIELD_NUMBER
    },
    {
      RouteConfiguration.VIRTUAL_HOSTS_FIELD_NUMBER,
      VirtualHost.ROUTES_FIELD_NUMBER,
      Route.TYPED_PER_FILTER_CONFIG_FIELD_NUMBER
    },
    {
      RouteConfiguration.VIRTUAL_HOSTS_FIELD_NUMBER,
      VirtualHost.ROUTES_FIELD_NUMBER,
      Route.ROUTE_FIELD_NUMBER,
      RouteAction.WEIGHTED_CLUSTERS_FIELD_NUMBER,
      WeightedCluster.CLUSTERS_FIELD_NUMBER,
      WeightedCluster.ClusterWeight.TYPED_PER_FILTER_CONFIG_FIELD_NUMBER
    },
  };

  /**
   * Those of {@code bytes}.
   *
   * @param bytes a {@code RouteConfiguration}, or what has one in it
   * @param path the numbers of the fields that lead to it
   */
  static RouteMaps of(ByteString bytes, int... path) {
    Map<List<Integer>, ByteString> metadata = new HashMap<>();
    WireFields.cut(bytes, joined(path, METADATA))
        .parts()
        .forEach((place, part) -> metadata.put(place.subList(path.length, place.size()), part));
    boolean overridden =
        Arrays.stream(OVERRIDES).anyMatch(each -> WireFields.contain(bytes, joined(path, each)));
    return new RouteMaps(overridden, metadata);
  }

  /** A {@code RouteConfiguration} without what is read from its bytes. */
  static ByteString cutFrom(ByteString bytes) {
    return WireFields.cut(bytes, METADATA).rest();
  }

  private static int[] joined(int[] first, int[] second) {
    int[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
