package io.outrigger.lb.outlier;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.lb.Backend;
import io.outrigger.lb.CallCounts;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.CallTotals;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When calls are counted, and where. */
class TrackerTableTest {
  private static final Backend A = Samples.backend("10.0.0.1:80");
  private static final Backend B = Samples.backend("10.0.0.2:80");

  private final FakeParent parent = new FakeParent();
  private final List<CallCounts> counts = new ArrayList<>();
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
    table.settle();

    end(a);

    assertThat(counts).as("there is nothing to count in").isEmpty();
  }

  @Conformance("A50-04")
  @Test
  void nothingIsCountedOnceDetectionIsOffAgain() {
    table.update(List.of(A));
    EjectableSubchannel a = subchannel(A);
    table.count(true);
    end(a);
    assertThat(counts).hasSize(1);
    assertThat(counts.get(0).totals()).isEqualTo(new CallTotals(0, 0, 1));

    table.count(false);
    end(a);
    end(subchannel(A));

    assertThat(counts).hasSize(1);
    assertThat(counts.get(0).totals()).isEqualTo(new CallTotals(0, 0, 1));
  }

  @Test
  void anEndpointThatComesWhileCallsAreCountedIsCounted() {
    table.count(true);
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
    table.count(true);
    table.update(List.of(A, B));
    end(subchannel(A));

    assertThat(counts).hasSize(1);
  }

  private EjectableSubchannel subchannel(Backend backend) {
    var address = backend.endpoint().address();
    var wrapper = new EjectableSubchannel(address, (state, reason) -> {}, table::remove);
    wrapper.wrap(parent.newSubchannel(backend, address, wrapper));
    table.add(wrapper, parent.loop());
    return wrapper;
  }

  /** A call there fails. */
  private static void end(EjectableSubchannel subchannel) {
    subchannel.callEnded(TestCall.CALL, CallOutcome.FAILURE);
  }
}
