package io.outrigger.observe.events;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.lb.view.OutlierEvent;

/**
 * Adds events of the load-balancing trees of one forward to the event log. An outlier that is not
 * ejected causes no event, because each sweep finds it again.
 */
@ControlConfined
public record LbEvents(EventLog log, String forward) implements LbObserver {
  @Override
  public void onEvent(LbEvent event) {
    if (event instanceof OutlierEvent.Ejected) {
      add(EventKind.EJECT, event);
    } else if (event instanceof OutlierEvent.Unejected) {
      add(EventKind.UNEJECT, event);
    } else if (event instanceof LbEvent.PrioritySwitch) {
      add(EventKind.PRIORITY_SWITCH, event);
    } else if (event instanceof LbEvent.EndpointState) {
      add(EventKind.ENDPOINT_STATE, event);
    } else if (event instanceof LbEvent.Outage) {
      add(EventKind.ALL_ENDPOINTS_FAILING, event);
    } else if (event instanceof LbEvent.OutageOver) {
      add(EventKind.ENDPOINTS_BACK, event);
    }
  }

  private void add(EventKind kind, LbEvent event) {
    boolean isOfEndpoint = event.endpoint().isPresent();
    String subject = event.endpoint().map(EndpointAddress::toString).orElse(event.cluster());
    String text = isOfEndpoint ? "cluster " + event.cluster() + ": " + event.text() : event.text();
    log.add(kind, forward, subject, text);
  }
}
