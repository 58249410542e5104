package io.outrigger.lb.outlier;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.lb.CallCounts;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.testing.Conformance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** When calls are counted, and where; and which subchannels belong to which endpoint. */
class TrackerTableTest {
  private static final Backend A = Samples.backend("10.0.0.1:80");
  private static final Backend B = Samples.backend("10.0.0.2:80");

  private final FakeParent parent = new FakeParent();
  private final List<CallCounts> counts = new ArrayList<>();
  private final List<Connectivity> told = new ArrayList<>();
  private final TrackerTable table = new TrackerTable(this::newCounts);

  private CallCounts newCounts() {
    var made = new CallCounts(1);
    counts.add(made);
    return made;
  }

  @Conformance("A50-04")
  @Test
  void nothingIsCountedWhileDetectionIsOff() {
    table.update(List.of(A, B));
    EjectableSubchannel a = subchannel(A);
    table.reassignOrphans();

    end(a);

    assertThat(counts).as("there is nothing to count in").isEmpty();
  }

  @Conformance("A50-04")
  @Test
  void nothingIsCountedOnceDetectionIsOffAgain() {
    table.update(List.of(A));
    EjectableSubchannel a = subchannel(A);
    table.setCounting(true);
    end(a);
    assertThat(counts).hasSize(1);
    assertThat(counts.get(0).totals()).isEqualTo(new SubchannelCalls(0, 0, 1));

    table.setCounting(false);
    end(a);
    end(subchannel(A));

    assertThat(counts).hasSize(1);
    assertThat(counts.get(0).totals()).isEqualTo(new SubchannelCalls(0, 0, 1));
  }

  @Test
  void anEndpointThatComesWhileCallsAreCountedIsCounted() {
    table.setCounting(true);
    table.update(List.of(A));
    EjectableSubchannel a = subchannel(A);
    table.update(List.of(A, B));
    EjectableSubchannel b = subchannel(B);

    end(a);
    end(b);
    end(b);

    assertThat(counts).extracting(each -> each.totals().failed()).containsExactly(1L, 2L);
  }

  @Test
  void anEndpointThatNobodyConnectsHasNothingToCountIn() {
    table.setCounting(true);
    table.update(List.of(A, B));
    end(subchannel(A));

    assertThat(counts).hasSize(1);
  }

  @Test
  void aClosedSubchannelIsForgottenAndItsLastCallsCountNowhere() {
    table.setCounting(true);
    table.update(List.of(A));
    EjectableSubchannel a = subchannel(A);
    EndpointTracker tracker = Objects.requireNonNull(table.of(a.address()));
    assertThat(tracker.subchannels()).containsExactly(a);

    parent.loop().inside(a::close);
    end(a);

    assertThat(tracker.subchannels()).isEmpty();
    assertThat(counts).hasSize(1);
    assertThat(counts.get(0).totals()).isEqualTo(SubchannelCalls.NONE);
  }

  @Conformance("A50-40")
  @Test
  void anAddressThatLeftTheClusterIsNobodys() {
    table.update(List.of(A, B));

    table.update(List.of(B));
    table.reassignOrphans();

    assertThat(table.of(A.endpoint().address())).isNull();
    assertThat(table.of(B.endpoint().address())).isNotNull();
  }

  @Conformance({"A50-37", "A50-40"})
  @Test
  void aSubchannelThatOutlivesItsEjectedEndpointHearsHowItsConnectionStands() {
    table.update(List.of(A));
    EjectableSubchannel a = subchannel(A);
    Objects.requireNonNull(table.of(a.address()))
        .setState(new EjectionState.Ejected(0, Instant.EPOCH, 1, OutlierEvent.Method.SUCCESS_RATE));
    assertThat(told).containsExactly(Connectivity.TRANSIENT_FAILURE);

    table.update(List.of());
    table.reassignOrphans();

    assertThat(told).containsExactly(Connectivity.TRANSIENT_FAILURE, Connectivity.IDLE);
  }

  private EjectableSubchannel subchannel(Backend backend) {
    var address = backend.endpoint().address();
    var wrapper =
        new EjectableSubchannel(address, (state, reason) -> told.add(state), table::remove);
    wrapper.wrap(parent.newSubchannel(backend, address, wrapper));
    table.add(wrapper, parent.loop());
    return wrapper;
  }

  /** A call there fails. */
  private static void end(EjectableSubchannel subchannel) {
    subchannel.callEnded(TestCall.CALL, CallOutcome.FAILURE);
  }
}
