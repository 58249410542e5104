package io.outrigger.xds.deps;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.xds.testing.Resources;
import org.junit.jupiter.api.Test;

class ClusterMemoTest {
  private final ClusterMemo memo = new ClusterMemo();

  @Test
  void whatAWalkDidNotVisitIsForgottenForGood() {
    Outcome<ClusterConfig> result = Outcome.failed(RpcStatus.unavailable("some"));
    WatchState<ClusterResource> cluster = WatchState.of(Outcome.ok(Resources.eds("a")));
    var notes = new ResolutionNotes("node-1", RpcStatus.OK, RpcStatus.OK);
    memo.remember("a", cluster, WatchState.nothing(), notes, () -> result);
    memo.turn();
    assertThat(memo.isOf("a", cluster)).isTrue();
    assertThat(memo.result("a")).isSameAs(result);

    for (int walk = 0; walk < 3; walk++) {
      memo.turn();
      assertThat(memo.isOf("a", cluster)).isFalse();
    }
  }
}
