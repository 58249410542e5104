package io.outrigger.lb.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.ConnectionEvent;
import io.outrigger.lb.ConnectionGroup;
import io.outrigger.lb.LbEvent;
import io.outrigger.lb.LbObserver;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionMeterTest {
  private static final Locality HERE = new Locality("r", "here", "");
  private static final Locality THERE = new Locality("r", "there", "");

  private final List<String> told = new ArrayList<>();
  private final ConnectionMeter meter =
      new ConnectionMeter(
          new LbObserver() {
            @Override
            public void onEvent(LbEvent event) {}

            @Override
            public void onConnection(ConnectionGroup group, ConnectionEvent event) {
              told.add(group.cluster() + " " + group.locality().zone() + " " + event);
            }
          },
          new ConnectionGroup("pay", HERE, false),
          (state, reason) -> {});

  @Conformance("A94-01")
  @Test
  void whatIsOpenWhenItIsGivenUpHasEndedOnce() {
    meter.onConnection(new ConnectionEvent.Made());
    meter.onConnection(new ConnectionEvent.Made());
    meter.onConnection(new ConnectionEvent.Failed());
    meter.onConnection(new ConnectionEvent.Lost("GOAWAY NO_ERROR"));
    meter.close();
    meter.onConnection(ConnectionEvent.Lost.NOT_NEEDED); // the loop's own word comes later
    meter.close();

    assertThat(told)
        .containsExactly(
            "pay here Made[]",
            "pay here Made[]",
            "pay here Failed[]",
            "pay here Lost[error=GOAWAY NO_ERROR]",
            "pay here Lost[error=subchannel shutdown]");
  }

  @Conformance("A94-01")
  @Test
  void whatIsOpenMovesWithTheEndpoint() {
    meter.standsIn(THERE);
    meter.standsIn(HERE);
    meter.onConnection(new ConnectionEvent.Made());
    meter.standsIn(THERE);
    meter.onConnection(new ConnectionEvent.Lost("unknown"));

    assertThat(told)
        .containsExactly(
            "pay here Made[]",
            "pay here Moved[open=1, to=" + THERE + "]",
            "pay there Lost[error=unknown]");
  }
}
