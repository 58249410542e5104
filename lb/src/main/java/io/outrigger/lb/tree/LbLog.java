package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.lb.view.OutlierEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

@ControlConfined
public final class LbLog implements LbObserver {
  private static final Logger log = LoggerFactory.getLogger(LbLog.class);

  @Override
  public void onEvent(LbEvent event) {
    Level level = level(event);
    if (log.isEnabledForLevel(level)) {
      String endpoint = event.endpoint().map(address -> address + ": ").orElse("");
      log.atLevel(level).log("cluster {}: {}{}", event.cluster(), endpoint, event.text());
    }
  }

  private static Level level(LbEvent event) {
    if (event instanceof LbEvent.Outage) {
      return Level.WARN;
    }
    // The level is DEBUG, because one sweep or failure can cause such events for many endpoints.
    return event instanceof OutlierEvent.Unenforced || event instanceof LbEvent.EndpointState
        ? Level.DEBUG
        : Level.INFO;
  }
}
