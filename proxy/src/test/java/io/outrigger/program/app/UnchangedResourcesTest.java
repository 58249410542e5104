package io.outrigger.program.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.program.testing.mesh.ControlSide;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.testing.RecordingConfigs;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What an update does not change stays the same object, from the decoder to the balancing tree:
 * only clusters that changed are published, endpoints that stay are not made anew, and nothing that
 * is known is connected to again (ARCHITECTURE.md, "Unchanged objects").
 */
final class UnchangedResourcesTest {
  private static final int CLUSTERS = 4;
  private static final int ENDPOINTS = 120; // of fewer the decoder shares nothing
  private static final int STEPS = 40;

  /** Of each cluster its endpoints' weights by port; ports below 1000 are in the first zone. */
  private final List<Map<Integer, Integer>> clusters = new ArrayList<>();

  private final RecordingConfigs configs = new RecordingConfigs();
  private final ControlSide control = new ControlSide(configs);

  /** The clusters in force. */
  private Map<String, ClusterConfig> inForce() {
    Map<String, ClusterConfig> all = new HashMap<>();
    configs
        .last()
        .toOptional()
        .orElseThrow()
        .clusters()
        .forEach((name, of) -> all.put(name, of.toOptional().orElseThrow()));
    return all;
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void onlyWhatChangedIsMadeAnew(long seed) {
    var random = new Random(seed);
    start();
    for (int step = 0; step < STEPS; step++) {
      Map<String, ClusterConfig> before = inForce();
      Set<Integer> touched = new TreeSet<>();
      Set<String> changed = new TreeSet<>();
      Set<Integer> added = new HashSet<>();
      for (int n = random.nextInt(CLUSTERS + 1); n > 0; n--) {
        int cluster = random.nextInt(CLUSTERS);
        var endpoints = clusters.get(cluster);
        Map<Integer, Integer> old = Map.copyOf(endpoints);
        change(endpoints, random);
        touched.add(cluster);
        endpoints.keySet().stream().filter(p -> !old.containsKey(p)).forEach(added::add);
      }
      for (int cluster : touched) {
        if (!weights(before.get(NumberedClusters.cluster(cluster))).equals(clusters.get(cluster))) {
          changed.add(NumberedClusters.cluster(cluster));
        }
      }
      configs.changes().clear();
      int wholes = configs.published().size();

      control.respond(ResourceType.ENDPOINT, touched.stream().map(this::assignment).toList());

      Set<String> published = new TreeSet<>();
      configs.changes().forEach(each -> published.addAll(each.keySet()));
      assertThat(published).as("seed %d, step %d", seed, step).isEqualTo(changed);
      assertThat(configs.published()).as("in parts").hasSize(wholes + configs.changes().size());
      inForce().forEach((name, now) -> assertSharing(before.get(name), now));
      assertThat(control.connected().stream().map(EndpointAddress::port))
          .as("seed %d, step %d", seed, step)
          .isSubsetOf(added);
    }
  }

  private void start() {
    for (int i = 0; i < CLUSTERS; i++) {
      var endpoints = new TreeMap<Integer, Integer>();
      IntStream.range(0, ENDPOINTS).forEach(n -> endpoints.put(1 + n * 16, 1));
      clusters.add(endpoints);
    }
    control.respond(ResourceType.LISTENER, List.of(NumberedClusters.listener()));
    control.ready();
    control.respond(ResourceType.ROUTE, List.of(NumberedClusters.routes(CLUSTERS)));
    control.respond(ResourceType.CLUSTER, NumberedClusters.clusters(CLUSTERS));
    control.respond(
        ResourceType.ENDPOINT, IntStream.range(0, CLUSTERS).mapToObj(this::assignment).toList());
    assertThat(inForce()).hasSize(CLUSTERS);
    assertThat(control.connected()).hasSize(CLUSTERS * ENDPOINTS);
  }

  /** One endpoint more, one less, another weight, or nothing at all. */
  private static void change(Map<Integer, Integer> endpoints, Random random) {
    List<Integer> ports = List.copyOf(endpoints.keySet());
    int one = ports.get(random.nextInt(ports.size()));
    switch (random.nextInt(4)) {
      case 0 -> endpoints.put(1 + random.nextInt(2_000), 1);
      case 1 -> {
        if (ports.size() > ENDPOINTS) {
          endpoints.remove(one);
        }
      }
      case 2 -> endpoints.put(one, 1 + random.nextInt(3));
      default -> {}
    }
  }

  private Any assignment(int cluster) {
    var zones = List.of(zone("a"), zone("b"));
    clusters
        .get(cluster)
        .forEach(
            (port, weight) ->
                zones.get(port < 1000 ? 0 : 1).addLbEndpoints(at(cluster, port, weight)));
    return Any.pack(
        ClusterLoadAssignment.newBuilder()
            .setClusterName(NumberedClusters.cluster(cluster))
            .addEndpoints(zones.get(0))
            .addEndpoints(zones.get(1))
            .build());
  }

  private static LocalityLbEndpoints.Builder zone(String name) {
    return LocalityLbEndpoints.newBuilder()
        .setLocality(Locality.newBuilder().setZone(name))
        .setLoadBalancingWeight(UInt32Value.of(1));
  }

  private static LbEndpoint at(int cluster, int port, int weight) {
    var socket = SocketAddress.newBuilder().setAddress("10.0.0." + cluster).setPortValue(port);
    return LbEndpoint.newBuilder()
        .setLoadBalancingWeight(UInt32Value.of(weight))
        .setEndpoint(
            Endpoint.newBuilder().setAddress(Address.newBuilder().setSocketAddress(socket)))
        .build();
  }

  private static Map<Integer, Integer> weights(ClusterConfig config) {
    Map<Integer, Integer> weights = new TreeMap<>();
    endpoints(config).forEach(each -> weights.put(each.address().port(), (int) each.weight()));
    return weights;
  }

  /** Whatever equals something of before is that. */
  @SuppressWarnings("ReferenceEquality") // that is what is asked
  private static void assertSharing(ClusterConfig before, ClusterConfig now) {
    Map<Object, Object> known = new HashMap<>();
    endpoints(before).forEach(each -> known.put(each, each));
    Set<Object> anew = Collections.newSetFromMap(new IdentityHashMap<>());
    for (var endpoint : endpoints(now)) {
      Object old = known.get(endpoint);
      if (old != null && old != endpoint) {
        anew.add(endpoint);
      }
    }
    assertThat(anew).as("made anew, and equal to what there was").isEmpty();
  }

  private static List<io.outrigger.config.endpoint.Endpoint> endpoints(ClusterConfig config) {
    return ((ClusterConfig.Leaf) config)
        .endpoints().toOptional().orElseThrow().priorities().stream()
            .flatMap(List::stream)
            .flatMap(locality -> locality.endpoints().stream())
            .toList();
  }
}
