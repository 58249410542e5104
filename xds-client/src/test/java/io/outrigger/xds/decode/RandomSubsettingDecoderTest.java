package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;
import io.envoyproxy.envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy.RandomSubsetting;
import io.outrigger.config.cluster.BalancingPolicy.WrrLocality;
import io.outrigger.testing.Conformance;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RandomSubsettingDecoderTest {
  private static final BalancingPolicy ROUND_ROBIN = new BalancingPolicy.RoundRobin();
  private static final String CONFIG =
      "load_balancing_policy.policies[0].typed_extension_config.typed_config.";
  private static final String RR = "childPolicy: [{round_robin: {}}]";
  private static final String CHILD =
      "child_policy: {policies: [{typed_extension_config: {name: c, typed_config: {\"@type\":"
          + " \"type.googleapis.com/envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin\"}}}]}";

  @Conformance("A68-01")
  @ParameterizedTest(name = "{0}")
  @CsvSource({"1, 1", "'\"10\"', 10", "4294967295, 4294967295"})
  void aTypedStructAsAServiceConfigWritesIt(String size, long expected) {
    assertThat(custom("subsetSize: " + size + ", " + RR))
        .isEqualTo(new RandomSubsetting(expected, ROUND_ROBIN));
  }

  @Conformance("A68-01")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        RR + "                                | subsetSize: is missing; must be at least 1",
        "subset_size: 3, " + RR + "           | subsetSize: is missing; must be at least 1",
        "subsetSize: 0, " + RR + "            | subsetSize: is 0; must be 1 to 4294967295",
        "subsetSize: -1, " + RR + "           | subsetSize: is -1; must be 1 to 4294967295",
        "subsetSize: 4294967296, " + RR + "   | subsetSize: is 4294967296; must be 1 to 4294967295",
        "subsetSize: 1.5, " + RR + "          | subsetSize: is not a whole number",
        "subsetSize: few, " + RR + "          | subsetSize: is not a whole number",
        "subsetSize: 3                        | childPolicy: is missing",
        "subsetSize: 3, childPolicy: {}       | childPolicy: is not a list of policies",
        "subsetSize: 3, childPolicy: [1]      | childPolicy[0]: is not an object of one field, the"
            + " name of a policy",
        "subsetSize: 3, childPolicy: [{}]     | childPolicy[0]: is not an object of one field, the"
            + " name of a policy",
        "subsetSize: 3, childPolicy: [{round_robin: {}, pick_first: {}}] | childPolicy[0]: is not"
            + " an object of one field, the name of a policy",
        "subsetSize: 3, childPolicy: [{round_robin: 1}] | childPolicy[0].round_robin: is not an"
            + " object",
        "subsetSize: 3, childPolicy: [{least_request_experimental: {choiceCount: 1}}] |"
            + " childPolicy[0].least_request_experimental.choice_count: is 1; must be at least 2",
        "subsetSize: 3, childPolicy: [{random_subsetting_experimental: {subsetSize: 0, childPolicy:"
            + " [{round_robin: {}}]}}] | childPolicy[0].random_subsetting_experimental.subsetSize:"
            + " is 0; must be 1 to 4294967295",
      })
  void aTypedStructThatIsInvalidIsRefused(String config, String error) {
    assertThat(errors(struct(config))).containsExactly(CONFIG + "value." + error);
  }

  @Conformance("A68-01")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "[]                               | is empty",
        "[{xyz: {}}, {outlier_detection_experimental: {}}]"
            + " | none is supported of \"xyz\", \"outlier_detection_experimental\"",
      })
  void aChildIsNeeded(String children, String reason) {
    assertThat(errors(struct("subsetSize: 3, childPolicy: " + children)))
        .containsExactly(
            CONFIG
                + "value.childPolicy: "
                + reason
                + "; supported: wrr_locality_experimental, round_robin, pick_first,"
                + " ring_hash_experimental, least_request_experimental, weighted_round_robin,"
                + " random_subsetting_experimental");
  }

  @Conformance({"A68-01", "A52-01"})
  @Test
  void theFirstSupportedChildDecides() {
    assertThat(
            custom(
                "subsetSize: 3, childPolicy: [{xyz: {}}, {wrr_locality_experimental: {childPolicy:"
                    + " [{least_request_experimental: {}}]}}, {round_robin: {}}]"))
        .isEqualTo(new RandomSubsetting(3, new WrrLocality(new BalancingPolicy.LeastRequest(2))));
  }

  /** Ten messages around a service config: both kinds of nesting count. */
  @Conformance({"A68-01", "A52-01"})
  @ParameterizedTest(name = "{0} levels: {1}")
  @CsvSource({"12, true", "16, true", "17, false"})
  void itNestsToSixteenLevels(int levels, boolean legal) {
    String config = "{round_robin: {}}";
    BalancingPolicy expected = ROUND_ROBIN;
    for (int level = levels; level > 11; level--) {
      config = "{random_subsetting_experimental: {subsetSize: 3, childPolicy: [" + config + "]}}";
      expected = new RandomSubsetting(3, expected);
    }
    String nested = struct(config.substring(config.indexOf(": {") + 3, config.length() - 2));
    for (int level = 10; level > 0; level--) {
      nested =
          message("subset_size: 9, " + nested.replace("load_balancing_policy", "child_policy"));
      expected = new RandomSubsetting(9, expected);
    }

    if (legal) {
      assertThat(PolicyDecodersTest.policy(nested)).isEqualTo(expected);
    } else {
      assertThat(errors(nested))
          .singleElement()
          .asString()
          .endsWith(".childPolicy: policies nested more than 16 deep");
    }
  }

  @Conformance("A68-01")
  @Test
  void theMessageOfEnvoyInAFile() {
    assertThat(PolicyDecodersTest.policy(message("subset_size: 3, " + CHILD)))
        .isEqualTo(new RandomSubsetting(3, ROUND_ROBIN));
  }

  @Conformance("A68-01")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        CHILD + "                   | subset_size: is missing; must be at least 1",
        "subset_size: 0, " + CHILD + " | subset_size: is 0; must be 1 to 4294967295",
        "subset_size: 3             | child_policy: is missing",
      })
  void theMessageOfEnvoyIsRefusedWithoutSizeOrChild(String fields, String error) {
    assertThat(errors(message(fields))).containsExactly(CONFIG + error);
  }

  /** As control planes send it: field 1 is a number, field 2 a list of policies. */
  @Conformance("A68-01")
  @Test
  void theMessageOfEnvoyOnTheWire() {
    var size = bytes(UInt32Value.of(-1).toByteString()); // unsigned
    var plain = // as in A68; the last of two counts, as 32 bits
        UnknownFieldSet.Field.newBuilder().addVarint(7).addVarint(1L << 32 | 3).build();
    var child = LoadBalancingPolicy.newBuilder();
    child
        .addPoliciesBuilder()
        .getTypedExtensionConfigBuilder()
        .setTypedConfig(Any.pack(RoundRobin.getDefaultInstance()));
    var message =
        UnknownFieldSet.newBuilder().addField(2, bytes(child.build().toByteString())).build();

    for (UnknownFieldSet.Field each : List.of(size, plain)) {
      ByteString bytes = message.toBuilder().addField(1, each).build().toByteString();
      assertThat(Decoding.valid(CLUSTER, sent(bytes)).policy())
          .isEqualTo(new RandomSubsetting(each.equals(plain) ? 3 : 4294967295L, ROUND_ROBIN));
    }
    assertThat(Decoding.errors(CLUSTER, sent(ByteString.copyFromUtf8("\n"))))
        .singleElement()
        .asString()
        .startsWith(
            CONFIG.substring(0, CONFIG.length() - 1)
                + ": not a readable envoy.extensions.load_balancing_policies.random_subsetting");
  }

  private static UnknownFieldSet.Field bytes(ByteString value) {
    return UnknownFieldSet.Field.newBuilder().addLengthDelimited(value).build();
  }

  private static Cluster sent(ByteString message) {
    var cluster = Cluster.newBuilder().setName("pay").setType(Cluster.DiscoveryType.EDS);
    cluster.getEdsClusterConfigBuilder().getEdsConfigBuilder().getAdsBuilder();
    cluster
        .getLoadBalancingPolicyBuilder()
        .addPoliciesBuilder()
        .getTypedExtensionConfigBuilder()
        .setTypedConfig(
            Any.newBuilder()
                .setTypeUrl(
                    "type.googleapis.com/envoy.extensions.load_balancing_policies"
                        + ".random_subsetting.v3.RandomSubsetting")
                .setValue(message));
    return cluster.build();
  }

  private static String message(String fields) {
    return PolicyDecodersTest.extension("random_subsetting.v3.RandomSubsetting", fields);
  }

  private static String struct(String config) {
    return "load_balancing_policy: {policies: [{typed_extension_config: {name: p, typed_config: {"
        + "\"@type\": \"type.googleapis.com/xds.type.v3.TypedStruct\","
        + " type_url: \"type.googleapis.com/random_subsetting_experimental\", value: {"
        + config
        + "}}}}]}";
  }

  private static BalancingPolicy custom(String config) {
    return PolicyDecodersTest.policy(struct(config));
  }

  private static List<String> errors(String fields) {
    return PolicyDecodersTest.errors(fields);
  }
}
