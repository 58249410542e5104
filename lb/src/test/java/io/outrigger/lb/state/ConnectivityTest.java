package io.outrigger.lb.state;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.IDLE;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectivityTest {
  @Test
  void theBetterOfTwoIsWhatACallCanHopeFor() {
    List<Connectivity> bestFirst = List.of(READY, CONNECTING, IDLE, TRANSIENT_FAILURE);

    for (int better = 0; better < bestFirst.size(); better++) {
      for (int other = better; other < bestFirst.size(); other++) {
        assertThat(bestFirst.get(better).or(bestFirst.get(other))).isEqualTo(bestFirst.get(better));
        assertThat(bestFirst.get(other).or(bestFirst.get(better))).isEqualTo(bestFirst.get(better));
      }
    }
  }
}
