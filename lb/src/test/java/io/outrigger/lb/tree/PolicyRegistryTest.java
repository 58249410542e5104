package io.outrigger.lb.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PolicyRegistryTest {
  private static final FailureNote NOTE = new FailureNote("pay", "");

  private final FakeParent parent = new FakeParent();

  @Test
  void everyConfigurationHasItsPolicyWhichIsShownByItsName() {
    var registry =
        new PolicyRegistry(
            parent.context(1), new CircuitBreakers(), new LoadRegistry(parent.loop()));

    for (LbConfig config : configurations()) {
      LbPolicy policy = registry.create(config, parent);
      parent.loop().inside(() -> policy.update(config));

      assertThat(Samples.describe(policy, "pay").policy()).isEqualTo(config.policy());
    }
  }

  @Test
  void namesOfLeavesDiffer() {
    assertThat(leafSettings())
        .extracting(BalancingPolicy.EndpointPicking::policy)
        .doesNotHaveDuplicates();
  }

  /** A configuration of each class that there is. */
  private static List<LbConfig> configurations() {
    List<LbConfig> all = new ArrayList<>();
    for (BalancingPolicy.EndpointPicking settings : leafSettings()) {
      all.add(new LbConfig.Leaf(settings, List.of(), LocalityWeights.EQUAL, NOTE, ""));
    }
    LbConfig leaf = all.get(0);
    all.add(new LbConfig.Failing(RpcStatus.unavailable("no endpoint"), false));
    all.add(new LbConfig.Priority("pay", List.of(new LbConfig.Child("child0", "0", leaf, false))));
    all.add(
        new LbConfig.WeightedTarget(List.of(new LbConfig.Target(Samples.locality("z"), 1, leaf))));
    all.add(new LbConfig.OutlierDetecting("pay", Optional.empty(), leaf));
    all.add(new LbConfig.ClusterImpl(NOTE, "", List.of(), 1, 1, Optional.empty(), leaf));
    all.add(new LbConfig.OverrideHost(Set.of(), Duration.ZERO, List.of(), List.of(), leaf));
    all.add(new LbConfig.RandomSubset(1, leaf));
    assertThat(all.stream().map(LbConfig::getClass).distinct().count())
        .as("classes of configurations")
        .isEqualTo(
            LbConfig.class.getPermittedSubclasses().length
                + LbConfig.Wrapping.class.getPermittedSubclasses().length
                - 1);
    return all;
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
      case "Duration" -> Duration.ofSeconds(1);
      case "List" -> List.of();
      default -> throw new AssertionError("no value for " + type);
    };
  }
}
