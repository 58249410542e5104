package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster.ClusterWeight;
import java.util.List;
import java.util.Map;
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

    assertThat(overridden(VirtualHost.newBuilder())).isFalse();
    assertThat(overridden(VirtualHost.newBuilder().putTypedPerFilterConfig("f", OVERRIDE)))
        .isTrue();
    assertThat(
            overridden(
                VirtualHost.newBuilder()
                    .addRoutes(Route.newBuilder().putTypedPerFilterConfig("f", OVERRIDE))))
        .isTrue();
    assertThat(overridden(VirtualHost.newBuilder().addRoutes(split))).isTrue();
  }

  private static boolean overridden(VirtualHost.Builder host) {
    return RouteMaps.haveOverrides(routes(host));
  }

  @Test
  void aFieldIsCutOutOfEachMessageThatHasIt() throws Exception {
    Metadata metadata =
        Metadata.newBuilder().putFilterMetadata("f", Struct.getDefaultInstance()).build();
    var routes = RouteConfiguration.newBuilder().setName("r");
    routes.addVirtualHosts(VirtualHost.newBuilder().setName("a").addRoutes(Route.newBuilder()));
    var host = VirtualHost.newBuilder().setName("b").addDomains("*");
    host.addRoutes(Route.newBuilder().setName("plain"));
    host.addRoutes(Route.newBuilder().setName("described").setMetadata(metadata));
    RouteConfiguration whole = routes.addVirtualHosts(host).build();

    WireFields.Cut cut = WireFields.cut(whole.toByteString(), 2, 3, Route.METADATA_FIELD_NUMBER);

    var without = whole.toBuilder();
    without.getVirtualHostsBuilder(1).getRoutesBuilder(1).clearMetadata();
    assertThat(RouteConfiguration.parseFrom(cut.remainder())).isEqualTo(without.build());
    assertThat(cut.parts()).isEqualTo(Map.of(List.of(1, 1), List.of(metadata.toByteString())));
  }

  @Test
  void whatComesTwiceIsMerged() throws Exception {
    Route one = route("x", Metadata.newBuilder().putFilterMetadata("a", struct("1")).build());
    Route two = route("y", Metadata.newBuilder().putFilterMetadata("b", struct("2")).build());
    ByteString both = one.toByteString().concat(two.toByteString());

    WireFields.Cut cut = WireFields.cut(both, Route.METADATA_FIELD_NUMBER);

    assertThat(Metadata.parseFrom(cut.part())).isEqualTo(Route.parseFrom(both).getMetadata());
  }

  private static Route route(String name, Metadata metadata) {
    return Route.newBuilder().setName(name).setMetadata(metadata).build();
  }

  private static Struct struct(String text) {
    Value value = Value.newBuilder().setStringValue(text).build();
    return Struct.newBuilder().putFields("k", value).build();
  }

  @Test
  void whatIsNotReadableIsRefused() throws Exception {
    ByteString broken = ByteString.copyFromUtf8("\u0012Px");
    assertThatExceptionOfType(InvalidProtocolBufferException.class)
        .isThrownBy(() -> WireFields.cut(broken, 2, 3));
    ByteString other = RouteConfiguration.newBuilder().setName("r").build().toByteString();
    assertThat(WireFields.cut(other, 2, 3).remainder()).isSameAs(other);
  }

  @Test
  void ofEqualKeysTheLastCounts() throws Exception {
    var one = Struct.newBuilder().putFields("k", Value.newBuilder().setBoolValue(true).build());
    ByteString both = one.build().toByteString().concat(struct("last").toByteString());

    assertThat(WireFields.entries(both, Struct.FIELDS_FIELD_NUMBER, Value.parser()))
        .isEqualTo(Map.of("k", Value.newBuilder().setStringValue("last").build()));
  }

  private static ByteString routes(VirtualHost.Builder host) {
    return RouteConfiguration.newBuilder().addVirtualHosts(host).build().toByteString();
  }
}
