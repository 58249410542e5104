package io.outrigger.observe.events;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.lb.view.OutlierEvent;

/**
 * Adds events of the load-balancing trees of one forward to the event log. Outliers that are not
 * ejected are not added, since they recur at each sweep and are in the endpoint's history.
 */
@ControlConfined
public record LbEvents(EventLog log, String forward) implements LbObserver {
  @Override
  public void onEvent(LbEvent event) {
    if (event instanceof OutlierEvent.Ejected ejected) {
      add(EventKind.EJECT, ejected.address().toString(), event);
    } else if (event instanceof OutlierEvent.Returned returned) {
      add(EventKind.UNEJECT, returned.address().toString(), event);
    } else if (event instanceof LbEvent.PrioritySwitch) {
      add(EventKind.PRIORITY_SWITCH, event.cluster(), event);
    } else if (event instanceof LbEvent.EndpointState state) {
      add(EventKind.ENDPOINT_STATE, state.address().toString(), event);
    } else if (event instanceof LbEvent.Outage) {
      add(EventKind.ALL_ENDPOINTS_FAILING, event.cluster(), event);
    } else if (event instanceof LbEvent.OutageOver) {
      add(EventKind.ENDPOINTS_BACK, event.cluster(), event);
    }
  }

  private void add(EventKind kind, String subject, LbEvent event) {
    log.add(kind, forward, subject, new Event.Balancing(event));
  }
}
