package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.ENDPOINT;
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
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.ResourceDecoder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What one response has in common with the one before, beyond what the scenarios show. */
final class IncrementalDecoderTest {
  private final IncrementalDecoder decoder = new IncrementalDecoder(ResourceDecoder::decode);

  @Test
  void theEndpointsOfALargeClusterAreTheSameObjectsInTheNextResponse() {
    EndpointSet before = decode(200);

    EndpointSet after = decode(201);

    assertThat(endpoints(after)).hasSize(201);
    for (int i = 0; i < 200; i++) {
      assertThat(endpoints(after).get(i)).isSameAs(endpoints(before).get(i));
    }
  }

  private EndpointSet decode(int count) {
    var context = new DecodeContext(ServerFeatures.NONE, Map.of());
    return decoder
        .decode(ENDPOINT, List.of(assignment(count)), List.of(), context)
        .valid()
        .get("e")
        .value();
  }

  private static List<io.outrigger.config.endpoint.Endpoint> endpoints(EndpointSet set) {
    return set.priorities().get(0).get(0).endpoints();
  }

  private static Any assignment(int count) {
    var locality =
        LocalityLbEndpoints.newBuilder()
            .setLocality(Locality.newBuilder().setRegion("r"))
            .setLoadBalancingWeight(UInt32Value.of(1));
    for (int i = 0; i < count; i++) {
      var address = SocketAddress.newBuilder().setAddress("10.0.0." + i).setPortValue(80);
      locality.addLbEndpoints(
          LbEndpoint.newBuilder()
              .setEndpoint(
                  Endpoint.newBuilder()
                      .setAddress(Address.newBuilder().setSocketAddress(address))));
    }
    return Any.pack(
        ClusterLoadAssignment.newBuilder().setClusterName("e").addEndpoints(locality).build());
  }
}
