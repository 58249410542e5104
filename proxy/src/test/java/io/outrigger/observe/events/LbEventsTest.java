package io.outrigger.observe.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.program.testing.LoggedLines;
import io.outrigger.testing.FakeControlLoop;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LbEventsTest {
  private static final EndpointAddress ADDRESS = new EndpointAddress("10.0.0.1", 80);

  @RegisterExtension private final LoggedLines lines = new LoggedLines(LbEvent.class);

  private final FakeControlLoop loop = new FakeControlLoop();
  private final EventLog log = new EventLog(loop);
  private final LbEvents events = new LbEvents(log, "shop");

  @Test
  void anOutageIsAWarningAndAnEventOfItsCluster() {
    Event added = addedBy(new LbEvent.Outage("pay", Instant.EPOCH, 2, "refused")).get(0);

    assertThat(added.kind()).isEqualTo(EventKind.ALL_ENDPOINTS_FAILING);
    assertThat(added.forward()).isEqualTo("shop");
    assertThat(added.subject()).isEqualTo("pay");
    assertThat(lines.list()).containsExactly("WARN cluster pay: " + added.message());
  }

  /** One failure can affect ten thousand endpoints. */
  @Test
  void aLostConnectionIsAnEventOfItsEndpointButNoLineOfTheLog() {
    var lost =
        new LbEvent.EndpointState(
            "pay", Instant.EPOCH, ADDRESS, Connectivity.IDLE, RpcStatus.unavailable("gone"));

    Event added = addedBy(lost).get(0);

    assertThat(added.kind()).isEqualTo(EventKind.ENDPOINT_STATE);
    assertThat(added.subject()).isEqualTo("10.0.0.1:80");
    assertThat(added.message()).isEqualTo("cluster pay: connection lost");
    assertThat(lines.list()).isEmpty();
  }

  /** Each sweep finds it again. */
  @Test
  void anOutlierThatStaysIsNoEvent() {
    var spared =
        new OutlierEvent.Unenforced(
            "pay",
            ADDRESS,
            Instant.EPOCH,
            new OutlierEvent.HighFailurePercentage(90, 85, 50, 5),
            new OutlierEvent.Share(1, 5),
            0,
            OutlierEvent.UnenforcedReason.MAX_EJECTION_OVERFLOW);

    assertThat(addedBy(spared)).isEmpty();
    assertThat(lines.list()).isEmpty();
  }

  private List<Event> addedBy(LbEvent event) {
    List<Event> added = new ArrayList<>();
    loop.inside(
        () -> {
          events.accept(event);
          added.addAll(log.after(0, 10).events());
        });
    return added;
  }
}
