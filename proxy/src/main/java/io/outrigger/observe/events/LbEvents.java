package io.outrigger.observe.events;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.OutlierEvent;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Writes the events of the load-balancing trees of one forward to the log and the event log. */
@ControlConfined
public record LbEvents(EventLog events, String forward) implements Consumer<LbEvent> {
  private static final Logger log = LoggerFactory.getLogger(LbEvent.class); // of component lb

  @Override
  public void accept(LbEvent event) {
    if (event instanceof OutlierEvent.Ejected) {
      add(EventKind.EJECT, Level.INFO, event);
    } else if (event instanceof OutlierEvent.Unejected) {
      add(EventKind.UNEJECT, Level.INFO, event);
    } else if (event instanceof LbEvent.PrioritySwitch) {
      add(EventKind.PRIORITY_SWITCH, Level.INFO, event);
    } else if (event instanceof LbEvent.EndpointState) {
      add(EventKind.ENDPOINT_STATE, Level.DEBUG, event); // one failure can affect many endpoints
    } else if (event instanceof LbEvent.Outage) {
      add(EventKind.ALL_ENDPOINTS_FAILING, Level.WARN, event);
    } else if (event instanceof LbEvent.OutageOver) {
      add(EventKind.ENDPOINTS_BACK, Level.INFO, event);
    } else {
      log(Level.DEBUG, event); // an outlier that is not ejected: each sweep finds it again
    }
  }

  private void add(EventKind kind, Level level, LbEvent event) {
    log(level, event);
    boolean isOfEndpoint = event.endpoint().isPresent();
    String subject = event.endpoint().map(EndpointAddress::toString).orElse(event.cluster());
    String text = isOfEndpoint ? "cluster " + event.cluster() + ": " + event.text() : event.text();
    events.add(kind, forward, subject, text);
  }

  private static void log(Level level, LbEvent event) {
    if (log.isEnabledForLevel(level)) {
      String endpoint = event.endpoint().map(address -> address + ": ").orElse("");
      log.atLevel(level).log("cluster {}: {}{}", event.cluster(), endpoint, event.text());
    }
  }
}
