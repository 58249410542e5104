package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.outrigger.xds.ResourceType;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.Stream.Builder;
import org.junit.jupiter.params.provider.MethodSource;

/** Any bytes as a resource of each type get one verdict, and a refusal has its reasons. */
final class ResourceFuzzTest {
  private static final int SEEDS = 30;

  static Stream<byte[]> listenerSeeds() {
    return seeds(Listener.getDescriptor(), "name");
  }

  @MethodSource("listenerSeeds")
  @FuzzTest
  void anyListener(byte[] bytes) {
    verdict(ResourceType.LISTENER, bytes);
  }

  static Stream<byte[]> routeSeeds() {
    return seeds(RouteConfiguration.getDescriptor(), "name");
  }

  @MethodSource("routeSeeds")
  @FuzzTest
  void anyRouteConfiguration(byte[] bytes) {
    verdict(ResourceType.ROUTE, bytes);
  }

  static Stream<byte[]> clusterSeeds() {
    return seeds(Cluster.getDescriptor(), "name");
  }

  @MethodSource("clusterSeeds")
  @FuzzTest
  void anyCluster(byte[] bytes) {
    verdict(ResourceType.CLUSTER, bytes);
  }

  static Stream<byte[]> endpointSeeds() {
    return seeds(ClusterLoadAssignment.getDescriptor(), "cluster_name");
  }

  @MethodSource("endpointSeeds")
  @FuzzTest
  void anyClusterLoadAssignment(byte[] bytes) {
    verdict(ResourceType.ENDPOINT, bytes);
  }

  private static Stream<byte[]> seeds(Descriptor type, String nameField) {
    Builder<byte[]> seeds = Stream.builder();
    seeds.add(new byte[0]);
    for (long seed = 0; seed < SEEDS; seed++) {
      var messages = new RandomMessages(seed, HostileResourcesTest.EXTENSIONS);
      seeds.add(messages.message(type, nameField, "name").toByteArray());
    }
    return seeds.build();
  }

  private static void verdict(ResourceType<?> type, byte[] bytes) {
    Any any =
        Any.newBuilder().setTypeUrl(type.typeUrl()).setValue(ByteString.copyFrom(bytes)).build();

    Decoded<?> decoded = ResourceDecoder.decode(type, List.of(any), Decoding.CONTEXT);

    assertThat(decoded.valid().size() + decoded.invalid().size() + decoded.unnamed().size())
        .isEqualTo(1);
    decoded.invalid().values().forEach(refused -> assertThat(refused.errors()).isNotEmpty());
  }
}
