package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.Decoding.CONTEXT;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.ResourceType;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResourceDecoderTest {
  private static final String V2_CLUSTER = "type.googleapis.com/envoy.api.v2.Cluster";

  @Test
  @Conformance({"A46-01", "A46-02"})
  void oneBadResourceOfFiveLeavesTheFourOthers() {
    var decoded =
        ResourceDecoder.decode(
            ResourceType.CLUSTER,
            List.of(eds("a"), eds("b"), statically("bad"), eds("c"), eds("d")),
            CONTEXT);

    assertThat(decoded.valid()).containsOnlyKeys("a", "b", "c", "d");
    assertThat(decoded.hasErrors()).isTrue();
    assertThat(requireNonNull(decoded.invalid().get("bad")).texts())
        .singleElement()
        .asString()
        .startsWith("type: STATIC is not supported");
    assertThat(requireNonNull(decoded.invalid().get("bad")).raw().typeUrl())
        .isEqualTo(ResourceType.CLUSTER.typeUrl());
  }

  @Test
  @Conformance("A46-03")
  void unreadableResourceIsReportedByItsPlaceAndOthersAreUsed() {
    Any broken =
        Any.newBuilder()
            .setTypeUrl(ResourceType.CLUSTER.typeUrl())
            .setValue(ByteString.copyFrom(new byte[] {10, 100, 1}))
            .build();

    var decoded =
        ResourceDecoder.decode(ResourceType.CLUSTER, List.of(eds("a"), broken, eds("b")), CONTEXT);

    assertThat(decoded.valid()).containsOnlyKeys("a", "b");
    assertThat(decoded.invalid()).isEmpty();
    assertThat(decoded.unnamed())
        .singleElement()
        .asString()
        .startsWith("resource #1: is not readable: ");
    assertThat(decoded.hasErrors()).isTrue();
  }

  @Test
  void resourceWithoutNameIsReportedByItsPlace() {
    var decoded = ResourceDecoder.decode(ResourceType.CLUSTER, List.of(eds("")), CONTEXT);

    assertThat(decoded.unnamed()).containsExactly("resource #0: has no name");
  }

  @Test
  @Conformance("A30-01")
  void resourceOfVersionTwoIsRefused() {
    Any old = eds("a").toBuilder().setTypeUrl(V2_CLUSTER).build();

    var decoded = ResourceDecoder.decode(ResourceType.CLUSTER, List.of(old), CONTEXT);

    assertThat(decoded.valid()).isEmpty();
    assertThat(decoded.unnamed())
        .singleElement()
        .asString()
        .contains("resource #0", V2_CLUSTER, ResourceType.CLUSTER.typeUrl());
  }

  @Test
  @Conformance("A46-04")
  void lastOfTwoResourcesWithOneNameCounts() {
    Any first = Any.pack(edsCluster("a").build());
    Any last =
        Any.pack(
            edsCluster("a")
                .setEdsClusterConfig(
                    edsCluster("a").getEdsClusterConfigBuilder().setServiceName("second"))
                .build());

    var decoded =
        ResourceDecoder.decode(ResourceType.CLUSTER, List.of(first, eds("b"), last), CONTEXT);

    assertThat(decoded.hasErrors()).isFalse();
    assertThat(decoded.valid().keySet()).containsExactly("b", "a");
    assertThat(requireNonNull(decoded.valid().get("a")).value().source())
        .isEqualTo(new ClusterSource.Eds("second"));
  }

  @Test
  void nameIsEitherValidOrInvalidWhicheverCameLast() {
    var badLast =
        ResourceDecoder.decode(ResourceType.CLUSTER, List.of(eds("a"), statically("a")), CONTEXT);
    var goodLast =
        ResourceDecoder.decode(ResourceType.CLUSTER, List.of(statically("a"), eds("a")), CONTEXT);

    assertThat(badLast.valid()).isEmpty();
    assertThat(badLast.invalid()).containsOnlyKeys("a");
    assertThat(goodLast.valid()).containsOnlyKeys("a");
    assertThat(goodLast.invalid()).isEmpty();
  }

  @Test
  @Conformance("A30-03")
  void wrapperIsTakenOffAndTheInnerNameWins() {
    Any wrapped =
        Any.pack(Resource.newBuilder().setName("outer").setResource(eds("inner")).build());

    var decoded = ResourceDecoder.decode(ResourceType.CLUSTER, List.of(wrapped), CONTEXT);

    assertThat(decoded.hasErrors()).isFalse();
    assertThat(decoded.valid()).containsOnlyKeys("inner");
    assertThat(requireNonNull(decoded.valid().get("inner")).raw().typeUrl())
        .isEqualTo(ResourceType.CLUSTER.typeUrl());
    assertThat(requireNonNull(decoded.valid().get("inner")).raw().bytes())
        .isEqualTo(eds("inner").getValue().toByteArray());
  }

  @Test
  void wrapperNamesAResourceThatCannotNameItself() {
    Any empty = Any.pack(Resource.newBuilder().setName("outer").build());

    var decoded = ResourceDecoder.decode(ResourceType.CLUSTER, List.of(empty), CONTEXT);

    assertThat(decoded.unnamed()).isEmpty();
    assertThat(requireNonNull(decoded.invalid().get("outer")).texts())
        .singleElement()
        .asString()
        .contains("is of type \"\"");
  }

  @Test
  void everyErrorOfAResourceIsCollectedWithItsPath() {
    var errors =
        Decoding.errors(
            ResourceType.CLUSTER,
            """
            {"name": "pay", "type": "EDS", "lb_policy": "MAGLEV",
             "outlier_detection": {"interval": "-1s", "max_ejection_percent": 101}}
            """);

    assertThat(errors)
        .containsExactly(
            "eds_cluster_config.eds_config: is missing; must be ads or self",
            "lb_policy: MAGLEV is not supported; supported: ROUND_ROBIN, RING_HASH, LEAST_REQUEST,"
                + " or load_balancing_policy",
            "outlier_detection.interval: is negative",
            "outlier_detection.max_ejection_percent: 101 is above 100");
  }

  @Test
  void errorsPastTheFirstHundredAreCounted() {
    var errors = FieldErrors.ofResource();
    for (int i = 0; i < 103; i++) {
      errors.at("endpoints", i).add("is wrong");
    }

    assertThat(errors.all().stream().map(FieldError::toString))
        .hasSize(101)
        .contains("endpoints[0]: is wrong", "endpoints[99]: is wrong")
        .endsWith("and 3 more errors");
  }

  @Test
  void textOfTheControlPlaneStaysOnOneLine() {
    assertThat(FieldErrors.quoted("a\nb\u0000c")).isEqualTo("\"a?b?c\"");
    assertThat(FieldErrors.quoted("x".repeat(1000))).hasSizeLessThan(210).endsWith("…\"");
  }

  private static Any eds(String name) {
    return Any.pack(edsCluster(name).build());
  }

  private static Cluster.Builder edsCluster(String name) {
    var cluster = Cluster.newBuilder().setName(name).setType(Cluster.DiscoveryType.EDS);
    cluster.getEdsClusterConfigBuilder().getEdsConfigBuilder().getAdsBuilder();
    return cluster;
  }

  private static Any statically(String name) {
    return Any.pack(
        Cluster.newBuilder().setName(name).setType(Cluster.DiscoveryType.STATIC).build());
  }
}
