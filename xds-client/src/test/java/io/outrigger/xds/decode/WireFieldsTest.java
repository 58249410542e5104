package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster.ClusterWeight;
import org.junit.jupiter.api.Test;

class WireFieldsTest {
  private static final Any OVERRIDE = Any.newBuilder().setTypeUrl("a/b.C").build();

  @Test
  void findsAFieldInAnyElementOfAList() {
    var routes = RouteConfiguration.newBuilder().setName("r");
    routes.addVirtualHosts(VirtualHost.newBuilder().setName("a").addRoutes(Route.newBuilder()));
    var named = VirtualHost.newBuilder().setName("b");
    named.addRoutes(Route.newBuilder()).addRoutes(Route.newBuilder().setName("x"));
    ByteString bytes = routes.addVirtualHosts(named).build().toByteString();

    assertThat(WireFields.contain(bytes, 1)).isTrue();
    assertThat(WireFields.contain(bytes, 9)).isFalse();
    assertThat(WireFields.contain(bytes, 2, 3, Route.NAME_FIELD_NUMBER)).isTrue();
    assertThat(WireFields.contain(bytes, 2, 3, Route.METADATA_FIELD_NUMBER)).isFalse();
    assertThat(WireFields.contain(ByteString.EMPTY, 1)).isFalse();
  }

  @Test
  void bytesThatCannotBeReadMayHoldAnything() {
    assertThat(WireFields.contain(ByteString.copyFromUtf8("\u0012Px"), 2, 3)).isTrue();
    assertThat(WireFields.contain(ByteString.copyFromUtf8("\u0010\u0001"), 2, 3)).isFalse();
  }

  @Test
  void everyPlaceOfAnOverrideIsKnown() {
    var weight = ClusterWeight.newBuilder().putTypedPerFilterConfig("f", OVERRIDE);
    var split = Route.newBuilder();
    split.getRouteBuilder().getWeightedClustersBuilder().addClusters(weight);

    assertThat(RouteDecoder.haveOverrides(routes(VirtualHost.newBuilder()))).isFalse();
    assertThat(
            RouteDecoder.haveOverrides(
                routes(VirtualHost.newBuilder().putTypedPerFilterConfig("f", OVERRIDE))))
        .isTrue();
    assertThat(
            RouteDecoder.haveOverrides(
                routes(
                    VirtualHost.newBuilder()
                        .addRoutes(Route.newBuilder().putTypedPerFilterConfig("f", OVERRIDE)))))
        .isTrue();
    assertThat(RouteDecoder.haveOverrides(routes(VirtualHost.newBuilder().addRoutes(split))))
        .isTrue();
  }

  private static ByteString routes(VirtualHost.Builder host) {
    return RouteConfiguration.newBuilder().addVirtualHosts(host).build().toByteString();
  }
}
