package io.outrigger.dataplane.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class MethodStatsTest {
  @Test
  void namesThatAControlPlaneMakesUpTakeBoundedRoom() {
    var stats = new MethodStats(new Measuring(Set.of(), true, false, false, false));

    for (int i = 0; i < 3 * MethodStats.MAX_PLACES; i++) {
      end(stats, "cluster-" + i, new Locality("r", "z" + i, ""));
    }

    assertThat(stats.ended())
        .hasSize(MethodStats.MAX_PLACES + 1)
        .containsKey(new MethodStats.Place("cluster-0", new Locality("r", "z0", "")))
        .containsKey(new MethodStats.Place(MethodStats.OTHER, null));
  }

  @Test
  void attemptsAtPlacesWithLongNamesCountAsOthers() {
    var stats = new MethodStats(new Measuring(Set.of(), true, false, false, false));

    end(stats, "c".repeat(MethodStats.MAX_NAMES + 1), null);
    end(stats, "c", new Locality("r", "z".repeat(MethodStats.MAX_NAMES), ""));

    assertThat(stats.ended()).containsOnlyKeys(new MethodStats.Place(MethodStats.OTHER, null));
  }

  @Test
  void reasonsToWaitTakeBoundedRoomToo() {
    var stats = new MethodStats(new Measuring(Set.of(), false, true, true, false));
    int most = MethodStats.MAX_DELAY_TYPES;
    for (int i = 0; i < most + 2; i++) {
      stats.attemptDelayed(i + ":connecting", 1);
    }

    assertThat(stats.attemptDelays())
        .hasSize(most + 1)
        .containsKeys(most - 1 + ":connecting", MethodStats.OTHER)
        .doesNotContainKey(most + ":connecting");
    assertThat(stats.callDelays()).isEmpty();
  }

  @Test
  void anUnknownLocalityIsAnEmptyLabel() {
    assertThat(new MethodStats.Place("a", new Locality("r", "z", "")).localityLabel())
        .isEqualTo("{region=\"r\", zone=\"z\", sub_zone=\"\"}");
    assertThat(new MethodStats.Place("a", null).localityLabel()).isEmpty();
  }

  @Test
  void callsThatGoToClustersInTurnCountForEach() {
    var stats = new MethodStats(new Measuring(Set.of(), true, false, false, false));
    var here = new Locality("r", "here", "");
    var there = new Locality("r", "there", "");
    end(stats, "a", here);
    end(stats, "a", there);
    end(stats, "b", there);
    end(stats, "b", there);
    end(stats, "a", here);
    end(stats, "a", null);

    assertThat(stats.ended().keySet())
        .containsExactlyInAnyOrder(
            new MethodStats.Place("a", here),
            new MethodStats.Place("a", there),
            new MethodStats.Place("b", there),
            new MethodStats.Place("a", null));
  }

  private static void end(MethodStats stats, String cluster, @Nullable Locality locality) {
    stats.attemptEnded(cluster, locality, RpcStatus.Code.OK, 1, 1, 1);
  }
}
