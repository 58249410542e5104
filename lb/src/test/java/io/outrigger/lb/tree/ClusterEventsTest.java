package io.outrigger.lb.tree;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.IDLE;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.RecordedListener;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterEventsTest {
  private final List<LbEvent> told = new ArrayList<>();
  private final List<Object> passedOn = new ArrayList<>();
  private final Subchannel.Listener news =
      new ClusterEvents("pay", new FakeControlLoop(), told::add, tally -> {})
          .listener(new EndpointAddress("10.0.0.1", 80), new RecordedListener(passedOn));

  @Test
  void aFirstConnectionIsNoNews() {
    become(CONNECTING, READY);

    assertThat(told).isEmpty();
    assertThat(passedOn).containsExactly(CONNECTING, READY);
  }

  @Conformance("A94-01")
  @Test
  void whatBecomesOfConnectionsIsPassedOn() {
    news.onConnection(new ConnectionEvent.Made());

    assertThat(passedOn).containsExactly(new ConnectionEvent.Made());
  }

  @Test
  void aFailureIsToldOnceHoweverOftenItIsTried() {
    become(CONNECTING, TRANSIENT_FAILURE, IDLE, CONNECTING, TRANSIENT_FAILURE);

    assertThat(states()).containsExactly(TRANSIENT_FAILURE);
    assertThat(((LbEvent.EndpointState) told.get(0)).reason().message()).isEqualTo("refused");
  }

  @Test
  void lossAndReturnAreTold() {
    become(CONNECTING, READY, IDLE, CONNECTING, TRANSIENT_FAILURE, IDLE, CONNECTING, READY);

    assertThat(states()).containsExactly(IDLE, TRANSIENT_FAILURE, READY);
  }

  private List<Connectivity> states() {
    return told.stream().map(event -> ((LbEvent.EndpointState) event).state()).toList();
  }

  private void become(Connectivity... states) {
    for (Connectivity state : states) {
      news.onState(
          state, state == TRANSIENT_FAILURE ? RpcStatus.unavailable("refused") : RpcStatus.OK);
    }
  }
}
