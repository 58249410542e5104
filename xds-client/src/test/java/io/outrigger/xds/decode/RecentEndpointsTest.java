package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.Struct;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.Decoded.Valid;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An endpoint of a large cluster is decoded again only if its bytes have changed. */
class RecentEndpointsTest {
  private static final int MANY = 1_000;

  private final DecodeContext context = new DecodeContext(ServerFeatures.NONE, Map.of());

  /** The resources in use, since those that nothing uses are forgotten. */
  private final List<Valid<EndpointSet>> inUse = new ArrayList<>();

  @Test
  void ofAThousandEndpointsTheChangedOneIsDecoded() {
    EndpointSet before = decode(cluster("pay", zone("a", 0, MANY)));

    EndpointSet after = decode(cluster("pay", zone("a", 0, MANY).setLbEndpoints(500, at(7_000))));

    assertThat(decodedAnew(before, after)).isEqualTo(1);
    assertThat(endpoints(after).get(500).address().port()).isEqualTo(7_000);
  }

  @Test
  void anotherWeightOrPlaceOfALocalityDecodesNoEndpoint() {
    EndpointSet before = decode(cluster("pay", zone("a", 0, 300), zone("b", 300, 600)));

    EndpointSet after =
        decode(
            cluster(
                "pay",
                zone("b", 300, 600).setPriority(1),
                zone("a", 0, 300).setLoadBalancingWeight(UInt32Value.of(9))));

    assertThat(decodedAnew(before, after)).isZero();
    assertThat(after.priorities()).hasSize(2);
    assertThat(after.priorities().get(0).get(0).weight()).isEqualTo(9);
  }

  @Test
  void anEndpointThatIsRepeatedIsRefusedThoughItIsKnown() {
    decode(cluster("pay", zone("a", 0, MANY)));

    Decoded<EndpointSet> twice =
        decoded(cluster("pay", zone("a", 0, MANY), zone("b", 0, 1)), context);

    assertThat(twice.invalid().get("pay").texts())
        .containsExactly(
            "endpoints[1].lb_endpoints[0].endpoint.address: duplicate address 10.0.0.1:1");
  }

  @Test
  void afterAnEndpointWithoutPortEveryEndpointIsStillItself() {
    var withoutPort = at(1).toBuilder();
    withoutPort.getEndpointBuilder().getAddressBuilder().getSocketAddressBuilder().clearPortValue();
    decode(cluster("pay", zone("a", 0, MANY).setLbEndpoints(3, withoutPort)));

    assertThat(decode(cluster("pay", zone("a", 0, MANY))))
        .isEqualTo(fresh(cluster("pay", zone("a", 0, MANY))));
  }

  @Test
  void aProxyOfALocalityIsThatOfItsEndpointsAlone() {
    Any proxy = Any.pack(Address.newBuilder().setSocketAddress(socket("10.9.9.9", 3128)).build());
    var metadata = Metadata.newBuilder().putTypedFilterMetadata(AddressDecoder.PROXY_KEY, proxy);
    Any plain = cluster("pay", zone("a", 0, MANY));
    Any proxied = cluster("pay", zone("a", 0, MANY).setMetadata(metadata));

    for (Any next : List.of(plain, proxied, plain, proxied)) {
      assertThat(decode(next)).isEqualTo(fresh(next));
    }
  }

  /** Whatever came before, the result is that of a decoder that knows nothing. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void theResultIsThatOfDecodingAll(long seed) {
    var random = new Random(seed);
    for (int step = 0; step < 200; step++) {
      List<Integer> ports = new ArrayList<>();
      for (int port = 1; port <= 140; port++) {
        if (random.nextInt(10) > 0) {
          ports.add(port);
        }
      }
      if (random.nextInt(4) == 0) {
        Collections.shuffle(ports, random);
      }
      var zones = List.of(zone("a", 0, 0), zone("b", 0, 0), zone("c", 0, 0));
      zones.get(0).setPriority(random.nextInt(2));
      zones.get(1).setPriority(random.nextInt(2));
      zones.get(2).setLoadBalancingWeight(UInt32Value.of(random.nextInt(2)));
      for (int port : ports) {
        zones.get(random.nextInt(zones.size())).addLbEndpoints(at(port, random));
      }
      Any next = cluster("pay", zones.toArray(LocalityLbEndpoints.Builder[]::new));
      Decoded<EndpointSet> expected =
          decoded(next, new DecodeContext(ServerFeatures.NONE, Map.of()));

      Decoded<EndpointSet> found = decoded(next, context);

      assertThat(found.invalid().keySet()).isEqualTo(expected.invalid().keySet());
      inUse.addAll(found.valid().values());
      if (found.invalid().isEmpty()) {
        assertThat(found.valid().get("pay").value()).isEqualTo(expected.valid().get("pay").value());
      }
    }
  }

  @Test
  void smallSetsAndThoseOfOtherNamesAreDecoded() {
    EndpointSet large = decode(cluster("large", zone("a", 0, 150)));
    EndpointSet small = decode(cluster("small", zone("a", 0, 50)));

    assertThat(decodedAnew(large, decode(cluster("large", zone("a", 0, 150))))).isZero();
    assertThat(decodedAnew(small, decode(cluster("small", zone("a", 0, 50))))).isEqualTo(50);
    assertThat(decodedAnew(large, decode(cluster("other", zone("a", 0, 150))))).isEqualTo(150);
  }

  /** As after the same bytes came again: the cache keeps the set that it has. */
  @Test
  void anEqualSetLeavesTheFirstInUse() {
    EndpointSet first = decode(cluster("pay", zone("a", 0, MANY)));
    var second = decoded(cluster("pay", zone("a", 0, MANY)), context).valid().get("pay");
    var again = new WeakReference<>(second.value());
    inUse.add(new Valid<>(first, second.raw()));
    second = null;
    while (!again.refersTo(null)) {
      System.gc();
    }

    assertThat(decodedAnew(first, decode(cluster("pay", zone("a", 0, MANY + 1))))).isEqualTo(1);
  }

  @Test
  void aNameWhoseSetNobodyUsesIsForgottenWithTheNextNewOne() {
    var unused =
        new WeakReference<>(
            decoded(cluster("pay", zone("a", 0, MANY)), context).valid().get("pay").value());
    while (!unused.refersTo(null)) {
      System.gc();
    }

    decode(cluster("cart", zone("a", 0, MANY)));

    assertThat(context.recent().count()).isEqualTo(1);
  }

  private EndpointSet decode(Any resource) {
    Decoded<EndpointSet> decoded = decoded(resource, context);
    inUse.addAll(decoded.valid().values());
    return decoded.valid().values().iterator().next().value();
  }

  private static EndpointSet fresh(Any resource) {
    var nothingKnown = new DecodeContext(ServerFeatures.NONE, Map.of());
    return decoded(resource, nothingKnown).valid().values().iterator().next().value();
  }

  private static Decoded<EndpointSet> decoded(Any resource, DecodeContext context) {
    return ResourceDecoder.decode(ResourceType.ENDPOINT, List.of(resource), context);
  }

  private static int decodedAnew(EndpointSet before, EndpointSet after) {
    Set<Endpoint> known = Collections.newSetFromMap(new IdentityHashMap<>());
    known.addAll(endpoints(before));
    return (int) endpoints(after).stream().filter(each -> !known.contains(each)).count();
  }

  private static List<Endpoint> endpoints(EndpointSet set) {
    return set.priorities().stream()
        .flatMap(List::stream)
        .flatMap(locality -> locality.endpoints().stream())
        .toList();
  }

  private static Any cluster(String name, LocalityLbEndpoints.Builder... zones) {
    var cluster = ClusterLoadAssignment.newBuilder().setClusterName(name);
    List.of(zones).forEach(cluster::addEndpoints);
    return Any.pack(cluster.build());
  }

  private static LocalityLbEndpoints.Builder zone(String name, int from, int to) {
    var zone = LocalityLbEndpoints.newBuilder().setLoadBalancingWeight(UInt32Value.of(1));
    zone.getLocalityBuilder().setZone(name);
    for (int i = from; i < to; i++) {
      zone.addLbEndpoints(at(i + 1));
    }
    return zone;
  }

  private static LbEndpoint at(int port) {
    var endpoint = LbEndpoint.newBuilder();
    endpoint.getEndpointBuilder().getAddressBuilder().setSocketAddress(socket("10.0.0.1", port));
    return endpoint.build();
  }

  /** Like {@link #at(int)}, but now and then with what endpoints may have beside an address. */
  private static LbEndpoint at(int port, Random random) {
    var endpoint = at(port).toBuilder();
    if (random.nextInt(20) == 0) {
      endpoint.setLoadBalancingWeight(UInt32Value.of(1 + random.nextInt(3)));
    }
    if (random.nextInt(20) == 0) {
      endpoint.setHealthStatusValue(random.nextInt(6));
    }
    if (random.nextInt(20) == 0) {
      var key = Value.newBuilder().setStringValue("key" + random.nextInt(3)).build();
      var lb = Struct.newBuilder().putFields("hash_key", key).build();
      endpoint.setMetadata(Metadata.newBuilder().putFilterMetadata("envoy.lb", lb));
    }
    if (random.nextInt(20) == 0) {
      var further = Address.newBuilder().setSocketAddress(socket("10.0.0.2", port));
      endpoint.getEndpointBuilder().addAdditionalAddressesBuilder().setAddress(further);
    }
    return endpoint.build();
  }

  private static SocketAddress.Builder socket(String ip, int port) {
    return SocketAddress.newBuilder().setAddress(ip).setPortValue(port);
  }
}
