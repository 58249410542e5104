package io.outrigger.lb.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.lb.PickResult;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Large clusters that come at once (decision lb-0050). */
class ConnectionPaceScenarioTest {
  private static final String MINE = "10.1.0.1:80";

  private final LbScript lb = new LbScript(2);

  @Test
  void aCallNeedNotWaitForTheEndpointsOfOtherClusters() {
    lb.apply(Samples.config(Set.of("large"), Samples.eds("large", hosts(100))));
    lb.apply(
        Samples.config(
            Set.of("large", "mine"),
            Samples.eds("large", hosts(100)),
            Samples.eds("mine", MINE, "10.1.0.2:80")));
    assertThat(lb.connector().count()).isEqualTo(2);
    assertThat(lb.pick("mine")).isInstanceOf(PickResult.Queue.class);
    var woken = new AtomicInteger();
    ClusterHandle mine = lb.handle("mine");
    mine.park(woken::incrementAndGet, mine.picker());
    lb.loop().run();

    assertThat(lb.connector().newest()).isSameAs(lb.connector().last(MINE));
    lb.ready(MINE);

    assertThat(woken).hasValue(1);
    assertThat(lb.state("mine")).isEqualTo(Connectivity.READY);
    assertThat(lb.connector().count()).isEqualTo(3);
  }

  @Test
  void clustersThatEndLeaveNothingBehind() {
    lb.apply(Samples.config(Set.of("large"), Samples.eds("large", hosts(100))));
    lb.apply(Samples.config(Set.of("mine"), Samples.eds("mine", MINE)));

    assertThat(lb.connector().newest()).isSameAs(lb.connector().last(MINE));
    assertThat(lb.connector().count()).isEqualTo(3);
  }

  private static String[] hosts(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(host -> "10.0.0." + host + ":80")
        .toArray(String[]::new);
  }
}
