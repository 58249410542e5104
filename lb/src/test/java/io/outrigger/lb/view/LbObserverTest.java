package io.outrigger.lb.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.LbObserver.WeightUpdate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LbObserverTest {
  private final List<String> heard = new ArrayList<>();

  @Test
  void bothHearEverythingInOrder() {
    LbObserver both = observer("first").and(observer("second"));

    both.onEvent(
        new LbEvent.PrioritySwitch("pay", Instant.EPOCH, "a", "b", Connectivity.READY, "gone"));
    both.onConnection(
        new ConnectionEvent.Group("pay", Samples.locality("z"), false), new ConnectionEvent.Made());
    both.onWeights(new WeightUpdate("pay", "", true, 0, 0, new double[0]));

    assertThat(heard)
        .containsExactly(
            "first event",
            "second event",
            "first connection",
            "second connection",
            "first weights",
            "second weights");
  }

  private LbObserver observer(String name) {
    return new LbObserver() {
      @Override
      public void onEvent(LbEvent event) {
        heard.add(name + " event");
      }

      @Override
      public void onConnection(ConnectionEvent.Group group, ConnectionEvent event) {
        heard.add(name + " connection");
      }

      @Override
      public void onWeights(WeightUpdate update) {
        heard.add(name + " weights");
      }
    };
  }
}
