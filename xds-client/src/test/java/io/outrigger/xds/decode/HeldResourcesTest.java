package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.testing.Await;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The bytes that {@link RawResource} counts, of which memory counts a multiple as not of peers. */
final class HeldResourcesTest {
  private static final int LARGE = 24 << 20; // more than all other tests hold

  private static Decoded<?> decoded() {
    var cluster = Cluster.newBuilder().setName("a").setAltStatName("x".repeat(LARGE)).build();
    Any resource =
        Any.newBuilder()
            .setTypeUrl(ResourceType.CLUSTER.typeUrl())
            .setValue(cluster.toByteString())
            .build();
    return ResourceDecoder.decode(
        ResourceType.CLUSTER, List.of(resource), new DecodeContext(ServerFeatures.NONE, Map.of()));
  }

  @Test
  void aResourceCountsUntilItIsCollected() {
    Decoded<?> decoded = decoded();
    try {
      System.gc();
      assertThat(decoded.unnamed()).isEmpty();
      assertThat(RawResource.heldBytes()).isGreaterThanOrEqualTo(LARGE);
    } finally {
      Reference.reachabilityFence(decoded);
    }
    decoded = null;

    Await.until(
        "it counts no more",
        () -> {
          System.gc();
          return RawResource.heldBytes() < LARGE;
        });
  }
}
