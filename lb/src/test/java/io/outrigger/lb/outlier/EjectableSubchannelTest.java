package io.outrigger.lb.outlier;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.RecordedListener;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the wrapper passes on, upwards and downwards. */
class EjectableSubchannelTest {
  private static final EndpointAddress ADDRESS = Samples.address("10.0.0.1:80");

  private final FakeParent parent = new FakeParent();
  private final List<Object> owner = new ArrayList<>();
  private final List<CallOutcome> beneath = new ArrayList<>();
  private final List<EjectableSubchannel> closed = new ArrayList<>();
  private final EjectableSubchannel wrapper =
      new EjectableSubchannel(ADDRESS, new RecordedListener(owner), closed::add);

  @BeforeEach
  void wrap() {
    wrapper.wrap(
        new Beneath(parent.newSubchannel(Samples.backend("10.0.0.1:80"), ADDRESS, wrapper)));
  }

  @Conformance("A50-36")
  @Test
  void connectionsAreToldDuringAnEjectionToo() {
    wrapper.eject(RpcStatus.unavailable("ejected"));
    var made = new ConnectionEvent.Made();

    wrapper.onConnection(made);

    assertThat(owner).containsExactly(Connectivity.TRANSIENT_FAILURE, made);
  }

  @Test
  void aClosedOneTellsItsOwnerNothing() {
    parent.loop().inside(wrapper::close);
    parent.loop().inside(wrapper::close);

    wrapper.onConnection(ConnectionEvent.Lost.NOT_NEEDED);
    wrapper.eject(RpcStatus.unavailable("ejected"));

    assertThat(owner).isEmpty();
    assertThat(closed).containsExactly(wrapper);
  }

  @Test
  void theSubchannelBeneathHearsOfTheEndsOfCalls() {
    wrapper.callEnded(TestCall.CALL, CallOutcome.FAILURE);

    assertThat(beneath).containsExactly(CallOutcome.FAILURE);
  }

  private final class Beneath extends DelegatingSubchannel {
    Beneath(Subchannel subchannel) {
      super(subchannel);
    }

    @Override
    public void callEnded(PickContext call, CallOutcome outcome) {
      beneath.add(outcome);
    }
  }
}
