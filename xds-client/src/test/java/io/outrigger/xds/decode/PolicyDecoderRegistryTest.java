package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.BalancingPolicy;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyDecoderRegistryTest {
  private static final PolicyDecoderRegistry ALL = PolicyDecoderRegistry.ALL;

  /** A misspelt type would never be met, or could not be written in a file or shown. */
  @Test
  void everyTypeIsThatOfAKnownMessage() {
    for (PolicyDecoder decoder : ALL.decoders()) {
      assertThat(KnownTypes.all().find(decoder.typeName())).isNotNull();
    }
  }

  @Test
  void everyPolicyOfTheModelHasADecoder() {
    int leaves = BalancingPolicy.EndpointPicking.class.getPermittedSubclasses().length;
    int others = BalancingPolicy.class.getPermittedSubclasses().length - 1; // but EndpointPicking

    assertThat(ALL.decoders()).hasSize(leaves + others);
  }

  @Test
  void noTwoDecodersHaveOneName() {
    assertThat(ALL.decoders()).extracting(PolicyDecoder::typeName).doesNotHaveDuplicates();
    assertThat(ALL.decoders()).extracting(each -> each.custom().name()).doesNotHaveDuplicates();
    assertThat(ALL.decoders())
        .flatExtracting(each -> each.legacy().map(PolicyDecoder.Legacy::value).stream().toList())
        .doesNotHaveDuplicates();
  }

  @Test
  void aDecoderIsFoundByEachOfItsNames() {
    var registry =
        new PolicyDecoderRegistry(
            List.of(PolicyDecoderRegistry.ROUND_ROBIN, RingHashDecoder.DECODER));

    assertThat(registry.ofType(RingHashDecoder.TYPE)).contains(RingHashDecoder.DECODER);
    assertThat(registry.ofType(PolicyDecoderRegistry.PICK_FIRST.typeName())).isEmpty();
    assertThat(registry.custom("ring_hash_experimental")).isPresent();
    assertThat(registry.typeNames()).isEqualTo("RoundRobin, RingHash");
    assertThat(registry.legacyNames()).isEqualTo("ROUND_ROBIN, RING_HASH");
  }
}
