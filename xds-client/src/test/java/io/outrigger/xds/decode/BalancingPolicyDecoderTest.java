package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;
import io.envoyproxy.envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest;
import io.envoyproxy.envoy.extensions.load_balancing_policies.maglev.v3.Maglev;
import io.envoyproxy.envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst;
import io.envoyproxy.envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash;
import io.envoyproxy.envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin;
import io.envoyproxy.envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.testing.Conformance;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class BalancingPolicyDecoderTest {
  private static final String AT = "load_balancing_policy.policies";
  private static final Any ROUND_ROBIN = Any.pack(RoundRobin.getDefaultInstance());
  private static final Any PICK_FIRST =
      Any.pack(PickFirst.newBuilder().setShuffleAddressList(true).build());
  private static final Any RING_HASH =
      Any.pack(RingHash.newBuilder().setHashFunction(RingHash.HashFunction.XX_HASH).build());
  private static final Any MAGLEV = Any.pack(Maglev.getDefaultInstance());
  private static final String SUPPORTED =
      "; supported: WrrLocality, RoundRobin, PickFirst, RingHash, LeastRequest,"
          + " ClientSideWeightedRoundRobin, RandomSubsetting";

  @Test
  void legacyRoundRobinWeighsLocalities() {
    assertThat(valid(CLUSTER, legacy(Cluster.LbPolicy.ROUND_ROBIN)).policy())
        .isEqualTo(new BalancingPolicy.WrrLocality(new BalancingPolicy.RoundRobin()));
  }

  @ParameterizedTest
  @EnumSource(
      value = Cluster.LbPolicy.class,
      names = {"RANDOM", "MAGLEV", "CLUSTER_PROVIDED"})
  @Conformance("A27-05")
  void otherLegacyPoliciesAreRefused(Cluster.LbPolicy policy) {
    assertThat(errors(CLUSTER, legacy(policy)))
        .containsExactly(
            "lb_policy: "
                + policy
                + " is not supported; supported: ROUND_ROBIN, RING_HASH, LEAST_REQUEST,"
                + " or load_balancing_policy");
  }

  @Test
  @Conformance("A27-05")
  void legacyPolicyThatIsUnknownOrPointsNowhereIsRefused() {
    assertThat(errors(CLUSTER, eds().setLbPolicyValue(99).build()))
        .singleElement()
        .asString()
        .startsWith("lb_policy: value 99 is not supported");
    assertThat(errors(CLUSTER, legacy(Cluster.LbPolicy.LOAD_BALANCING_POLICY_CONFIG)))
        .containsExactly(
            "lb_policy: LOAD_BALANCING_POLICY_CONFIG needs the field load_balancing_policy");
  }

  @Test
  @Conformance("A52-01")
  void firstSupportedEntryWinsOverLaterOnesAndOverTheLegacyField() {
    var cluster =
        valid(
            CLUSTER,
            eds()
                .setLbPolicy(Cluster.LbPolicy.MAGLEV)
                .setLoadBalancingPolicy(
                    policies(MAGLEV, custom("myorg.Lb"), PICK_FIRST, ROUND_ROBIN))
                .build());

    assertThat(cluster.policy()).isEqualTo(new BalancingPolicy.PickFirst(true));
  }

  @Test
  @Conformance("A52-01")
  void noSupportedEntryIsRefusedWithWhatThereWasAndWhatThereIs() {
    assertThat(errors(CLUSTER, with(MAGLEV, custom("myorg.Lb"))))
        .containsExactly(
            AT
                + ": none is supported of"
                + " \"envoy.extensions.load_balancing_policies.maglev.v3.Maglev\","
                + " \"myorg.Lb\""
                + SUPPORTED);
    assertThat(errors(CLUSTER, with())).containsExactly(AT + ": is empty" + SUPPORTED);
  }

  @Test
  @Conformance("A52-04")
  void legacyNamesMeanTheirTrees() {
    assertThat(valid(CLUSTER, legacy(Cluster.LbPolicy.RING_HASH)).policy())
        .isEqualTo(new BalancingPolicy.RingHash(1024, 8 * 1024 * 1024, ""));
    assertThat(valid(CLUSTER, legacy(Cluster.LbPolicy.LEAST_REQUEST)).policy())
        .isEqualTo(new BalancingPolicy.WrrLocality(new BalancingPolicy.LeastRequest(2)));
  }

  @Test
  @Conformance("A52-02")
  void policiesAreKnownByTheirTypes() {
    assertThat(valid(CLUSTER, with(RING_HASH)).policy())
        .isEqualTo(new BalancingPolicy.RingHash(1024, 8 * 1024 * 1024, ""));
    assertThat(valid(CLUSTER, with(wrr(Any.pack(LeastRequest.getDefaultInstance())))).policy())
        .isEqualTo(new BalancingPolicy.WrrLocality(new BalancingPolicy.LeastRequest(2)));
    assertThat(valid(CLUSTER, with(ROUND_ROBIN)).policy())
        .isEqualTo(new BalancingPolicy.RoundRobin());
    assertThat(valid(CLUSTER, with(Any.pack(PickFirst.getDefaultInstance()))).policy())
        .isEqualTo(new BalancingPolicy.PickFirst(false));
    assertThat(valid(CLUSTER, with(wrr(PICK_FIRST))).policy())
        .isEqualTo(new BalancingPolicy.WrrLocality(new BalancingPolicy.PickFirst(true)));
    assertThat(valid(CLUSTER, with(wrr(MAGLEV, ROUND_ROBIN))).policy())
        .isEqualTo(new BalancingPolicy.WrrLocality(new BalancingPolicy.RoundRobin()));
  }

  @Test
  @Conformance("A52-03")
  void supportedEntryThatIsInvalidIsRefusedAndLaterOnesAreNotTaken() {
    Any broken =
        ROUND_ROBIN.toBuilder().setValue(ByteString.copyFrom(new byte[] {(byte) 0xFF})).build();

    assertThat(errors(CLUSTER, with(MAGLEV, broken, ROUND_ROBIN)))
        .singleElement()
        .asString()
        .startsWith(
            AT
                + "[1].typed_extension_config.typed_config: not a readable"
                + " envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin");
    assertThat(errors(CLUSTER, with(Any.pack(WrrLocality.getDefaultInstance()), ROUND_ROBIN)))
        .containsExactly(
            AT + "[0].typed_extension_config.typed_config.endpoint_picking_policy: is missing");
    assertThat(errors(CLUSTER, with(wrr(MAGLEV), ROUND_ROBIN)))
        .singleElement()
        .asString()
        .startsWith(
            AT
                + "[0].typed_extension_config.typed_config.endpoint_picking_policy.policies:"
                + " none is supported of ");
  }

  @ParameterizedTest(name = "{0} levels: {1}")
  @CsvSource({"1, true", "2, true", "16, true", "17, false", "1000, false"})
  @Conformance("A52-01")
  void policiesNestToSixteenLevels(int levels, boolean legal) {
    Any policy = PICK_FIRST;
    for (int i = 1; i < levels; i++) {
      policy = wrr(policy);
    }
    Cluster cluster = with(policy, ROUND_ROBIN);

    if (legal) {
      BalancingPolicy innermost = new BalancingPolicy.PickFirst(true);
      assertThat(valid(CLUSTER, cluster).policy())
          .isEqualTo(levels == 1 ? innermost : new BalancingPolicy.WrrLocality(innermost));
    } else {
      assertThat(errors(CLUSTER, cluster))
          .singleElement()
          .asString()
          .endsWith(": policies nested more than 16 deep");
    }
  }

  @Conformance("A75-03")
  @ParameterizedTest
  @EnumSource(names = {"ROUND_ROBIN", "RING_HASH", "LEAST_REQUEST", "CLUSTER_PROVIDED"})
  void legacyPolicyOfAnAggregateMayBeAnyOfALeaf(Cluster.LbPolicy policy) {
    assertThat(valid(CLUSTER, aggregate().setLbPolicy(policy).build()).source())
        .isInstanceOf(ClusterSource.Aggregate.class);
  }

  @Conformance("A75-04")
  @ParameterizedTest(name = "{0}")
  @CsvSource({"3, RANDOM", "5, MAGLEV", "7, LOAD_BALANCING_POLICY_CONFIG", "99, value 99"})
  void legacyPolicyOfAnAggregateThatNoLeafMayHaveIsRefused(int policy, String name) {
    assertThat(errors(CLUSTER, aggregate().setLbPolicyValue(policy).build()))
        .singleElement()
        .asString()
        .startsWith("lb_policy: " + name);
  }

  @Conformance("A75-05")
  @Test
  void legacyPolicyOfAnAggregateIsKeptForWhoBalancesByIt() {
    assertThat(valid(CLUSTER, aggregate().setLbPolicy(Cluster.LbPolicy.RING_HASH).build()).policy())
        .isInstanceOf(BalancingPolicy.RingHash.class);
    assertThat(
            valid(CLUSTER, aggregate().setLbPolicy(Cluster.LbPolicy.CLUSTER_PROVIDED).build())
                .policy())
        .isEqualTo(ClusterResource.DEFAULT_POLICY);
  }

  @Conformance("A75-04")
  @Test
  void policyListOfAnAggregateOnlyHasToNameAPolicy() {
    valid(CLUSTER, aggregate().setLoadBalancingPolicy(policies(RING_HASH)).build());

    assertThat(
            errors(
                CLUSTER, aggregate().setLoadBalancingPolicy(policies(custom("myorg.Lb"))).build()))
        .singleElement()
        .asString()
        .startsWith(AT + ": none is supported of \"myorg.Lb\"");
  }

  private static Any custom(String name) {
    return Any.pack(
        com.github.xds.type.v3.TypedStruct.newBuilder()
            .setTypeUrl("type.googleapis.com/" + name)
            .build());
  }

  private static Any wrr(Any... children) {
    return Any.pack(WrrLocality.newBuilder().setEndpointPickingPolicy(policies(children)).build());
  }

  private static LoadBalancingPolicy policies(Any... configs) {
    var policies = LoadBalancingPolicy.newBuilder();
    for (Any config : List.of(configs)) {
      policies.addPoliciesBuilder().getTypedExtensionConfigBuilder().setTypedConfig(config);
    }
    return policies.build();
  }

  private static Cluster with(Any... configs) {
    return eds().setLoadBalancingPolicy(policies(configs)).build();
  }

  private static Cluster legacy(Cluster.LbPolicy policy) {
    return eds().setLbPolicy(policy).build();
  }

  private static Cluster.Builder eds() {
    var cluster = Cluster.newBuilder().setName("pay").setType(Cluster.DiscoveryType.EDS);
    cluster.getEdsClusterConfigBuilder().getEdsConfigBuilder().getAdsBuilder();
    return cluster;
  }

  private static Cluster.Builder aggregate() {
    var cluster = Cluster.newBuilder().setName("all");
    cluster
        .getClusterTypeBuilder()
        .setTypedConfig(
            Any.pack(
                io.envoyproxy.envoy.extensions.clusters.aggregate.v3.ClusterConfig.newBuilder()
                    .addClusters("a")
                    .build()));
    return cluster;
  }
}
