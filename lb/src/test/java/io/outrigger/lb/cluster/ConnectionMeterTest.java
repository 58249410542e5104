package io.outrigger.lb.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionMeterTest {
  private static final Locality HERE = new Locality("r", "here", "");
  private static final Locality THERE = new Locality("r", "there", "");

  private final List<String> told = new ArrayList<>();
  private final List<Object> owner = new ArrayList<>();
  private final ConnectionMeter meter =
      new ConnectionMeter(
          new LbObserver() {
            @Override
            public void onEvent(LbEvent event) {}

            @Override
            public void onConnection(ConnectionEvent.Group group, ConnectionEvent event) {
              told.add(group.cluster() + " " + group.locality().zone() + " " + event);
            }
          },
          new ConnectionEvent.Group("pay", HERE, false),
          new Subchannel.Listener() {
            @Override
            public void onState(Connectivity state, RpcStatus reason) {
              owner.add(state);
            }

            @Override
            public void onConnection(ConnectionEvent event) {
              owner.add(event);
            }
          });

  @Test
  void theOwnerHearsOfStatesAndConnections() {
    var made = new ConnectionEvent.Made();

    meter.onState(Connectivity.READY, RpcStatus.OK);
    meter.onConnection(made);

    assertThat(owner).containsExactly(Connectivity.READY, made);
  }

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
    meter.setLocality(THERE);
    meter.setLocality(HERE);
    meter.onConnection(new ConnectionEvent.Made());
    meter.setLocality(THERE);
    meter.onConnection(new ConnectionEvent.Lost("unknown"));

    assertThat(told)
        .containsExactly(
            "pay here Made[]",
            "pay here Moved[open=1, to=" + THERE + "]",
            "pay there Lost[error=unknown]");
  }
}
