package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster;
import java.util.Arrays;

/** Reads the map fields of a serialized {@code RouteConfiguration}; see {@link WireFields}. */
final class RouteMaps {
  static final int[] METADATA = {
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

  private RouteMaps() {}

  /**
   * Whether any filter is overridden (A39).
   *
   * @param bytes a serialized {@code RouteConfiguration}, or a message that contains it
   * @param path the numbers of the fields that lead to the {@code RouteConfiguration}
   */
  static boolean haveOverrides(ByteString bytes, int... path) {
    return Arrays.stream(OVERRIDES).anyMatch(each -> WireFields.contain(bytes, joined(path, each)));
  }

  static ByteString withoutMetadata(ByteString bytes) throws InvalidProtocolBufferException {
    return WireFields.cut(bytes, METADATA).remainder();
  }

  private static int[] joined(int[] first, int[] second) {
    int[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
