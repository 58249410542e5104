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
 * The maps of a {@code RouteConfiguration}, read from its bytes; see {@link WireFields}.
 *
 * @param overridden whether any filter is overridden (A39); if not, the decoder does not read the
 *     maps of overrides
 * @param metadata the metadata of routes; the key is the index of the virtual host and the index of
 *     the route in it
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
   * Reads the maps from {@code bytes}.
   *
   * @param bytes a serialized {@code RouteConfiguration}, or a message that contains it
   * @param path the numbers of the fields that lead to the {@code RouteConfiguration}
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

  /** Removes the metadata of routes from a serialized {@code RouteConfiguration}. */
  static ByteString cutFrom(ByteString bytes) {
    return WireFields.cut(bytes, METADATA).rest();
  }

  private static int[] joined(int[] first, int[] second) {
    int[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
