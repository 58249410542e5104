package io.outrigger.lb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.endpoint.LeafPolicies;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PolicyRegistryTest {
  private final FakeParent parent = new FakeParent();

  @Test
  void everyLeafHasItsPolicyWhichIsShownByTheNameOfItsSettings() {
    PolicyRegistry leaves = leaves();

    for (BalancingPolicy.EndpointPicking settings : leafSettings()) {
      var config =
          new LbConfig.Leaf<>(
              settings, List.of(), LocalityWeights.EQUAL, new FailureNote("pay", ""), "");
      LbPolicy policy = leaves.create(config, parent);
      parent.loop().inside(() -> policy.update(config));

      assertThat(Samples.describe(policy, "pay").policy()).isEqualTo(settings.policy());
    }
  }

  @Test
  void namesOfLeavesDiffer() {
    assertThat(leafSettings())
        .extracting(BalancingPolicy.EndpointPicking::policy)
        .doesNotHaveDuplicates();
  }

  @Test
  void aMissingPolicyIsFoundBeforeAnyClusterNeedsIt() {
    PolicyRegistry incomplete = leaves();

    assertThatThrownBy(incomplete::complete)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no policy for")
        .hasMessageContaining(LbConfig.Priority.class.getName())
        .hasMessageNotContaining(BalancingPolicy.class.getName());
    assertThatThrownBy(() -> new PolicyRegistry().complete())
        .hasMessageContaining(BalancingPolicy.RingHash.class.getName());
  }

  @Test
  void twoPoliciesForTheSameSettingsAreRefused() {
    PolicyRegistry leaves = leaves();

    assertThatThrownBy(
            () ->
                leaves.leaf(
                    BalancingPolicy.RoundRobin.class,
                    (config, above) -> {
                      throw new AssertionError("not made");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("two policies for " + BalancingPolicy.RoundRobin.class.getName());
  }

  private PolicyRegistry leaves() {
    return LeafPolicies.registry(parent.context(1));
  }

  /** Of each leaf that there is, with whatever settings. */
  private static List<BalancingPolicy.EndpointPicking> leafSettings() {
    return Stream.of(BalancingPolicy.EndpointPicking.class.getPermittedSubclasses())
        .map(PolicyRegistryTest::anySettings)
        .toList();
  }

  /** Made by the constructor of the record, of values that are as small as they can be. */
  private static BalancingPolicy.EndpointPicking anySettings(Class<?> settings) {
    try {
      var constructor =
          Stream.of(settings.getDeclaredConstructors())
              .max(Comparator.comparingInt(each -> each.getParameterCount()))
              .orElseThrow();
      Object[] values =
          Arrays.stream(constructor.getParameterTypes())
              .map(PolicyRegistryTest::smallest)
              .toArray();
      return (BalancingPolicy.EndpointPicking) constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no settings of " + settings, e);
    }
  }

  private static Object smallest(Class<?> type) {
    return switch (type.getSimpleName()) {
      case "boolean" -> false;
      case "int" -> 2;
      case "long" -> 1L;
      case "double" -> 0.0;
      case "String" -> "";
      case "Duration" -> java.time.Duration.ofSeconds(1);
      case "List" -> List.of();
      default -> throw new AssertionError("no value for " + type);
    };
  }
}
