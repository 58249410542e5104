package io.outrigger.lb.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.testing.Samples;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LbConfigTest {
  private static final FailureNote NOTE = new FailureNote("pay", "");

  /** Each kind of node, with the name that status views have for it. */
  static Stream<LbConfig> nodes() {
    LbConfig one = leaf("10.0.0.1:80");
    LbConfig two = leaf("10.0.0.2:80", "10.0.0.3:80");
    var weighted =
        new LbConfig.WeightedTarget(
            List.of(
                new LbConfig.Target(Samples.locality("a"), 1, one),
                new LbConfig.Target(Samples.locality("b"), 1, two)));
    var override =
        new LbConfig.OverrideHost(
            Set.of(),
            Duration.ZERO,
            Samples.backends("10.0.0.4:80"),
            Samples.backends("10.0.0.5:80"),
            two);
    var cluster = new LbConfig.ClusterImpl(NOTE, "", List.of(), 1, 1, Optional.empty(), override);
    return Stream.of(
        one,
        two,
        weighted,
        override,
        cluster,
        new LbConfig.OutlierDetecting("pay", Optional.empty(), cluster),
        new LbConfig.RandomSubset(1, weighted),
        new LbConfig.Priority(
            "pay",
            List.of(
                new LbConfig.Child("a", "a", weighted, false),
                new LbConfig.Child("b", "b", override, false))),
        new LbConfig.Failing(RpcStatus.unavailable(""), false),
        new LbConfig.Failing(new RpcStatus(RpcStatus.Code.NOT_FOUND, ""), true));
  }

  @Test
  void viewsHaveANameForEachKindOfNode() {
    assertThat(nodes().map(LbConfig::policy).distinct())
        .containsExactly(
            "round_robin",
            "weighted_target",
            "override_host",
            "cluster_impl",
            "outlier_detection",
            "random_subsetting",
            "priority",
            "failing",
            "refusing");
  }

  @Test
  void endpointsBeneathAreInOrderAndThoseSetAsideAreNotAmongThem() {
    assertThat(nodes().filter(LbConfig.Priority.class::isInstance).findFirst())
        .map(LbConfig::backends)
        .contains(
            Samples.backends(
                "10.0.0.1:80",
                "10.0.0.2:80",
                "10.0.0.3:80",
                "10.0.0.2:80",
                "10.0.0.3:80",
                "10.0.0.4:80"));
  }

  @Test
  void thereIsNoWeightedTargetWithoutTargets() {
    assertThatThrownBy(() -> new LbConfig.WeightedTarget(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static LbConfig leaf(String... addresses) {
    return new LbConfig.Leaf(
        new BalancingPolicy.RoundRobin(),
        Samples.backends(addresses),
        LocalityWeights.EQUAL,
        NOTE,
        "");
  }
}
