package io.outrigger.proxy.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import org.junit.jupiter.api.Test;

final class MethodStatsTest {
  @Test
  void namesThatAControlPlaneMakesUpTakeBoundedRoom() {
    var stats = new MethodStats(new Measuring(java.util.Set.of(), true, false, false));

    for (int i = 0; i < 3 * MethodStats.MAX_PLACES; i++) {
      end(stats, "cluster-" + i, new Locality("r", "z" + i, ""));
    }

    assertThat(stats.places)
        .hasSize(MethodStats.MAX_PLACES + 1)
        .containsKey(new MethodStats.Place("cluster-0", new Locality("r", "z0", "")))
        .containsKey(new MethodStats.Place(MethodStats.OTHER, null));
  }

  private static void end(MethodStats stats, String cluster, Locality locality) {
    stats.attemptEnded(cluster, locality, RpcStatus.Code.OK, 1, 1, 1);
  }
}
