package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.lb.view.OutlierEvent;
import java.time.temporal.ChronoUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the events of the trees: ejections with their reasons and numbers, and switches of
 * priorities.
 */
@ControlConfined
final class LbLog implements LbObserver {
  private static final Logger log = LoggerFactory.getLogger(LbLog.class);

  @Override
  public void onEvent(LbEvent event) {
    if (event instanceof OutlierEvent.Ejected ejected) {
      log.info(
          "cluster {}: ejected {} until {}, {}; {} endpoints are ejected, multiplier {}",
          ejected.cluster(),
          ejected.address(),
          ejected.until().truncatedTo(ChronoUnit.MILLIS),
          ejected.evidence().text(),
          ejected.after(),
          ejected.multiplier());
    } else if (event instanceof OutlierEvent.Returned returned) {
      log.info(
          "cluster {}: {} is in service again, {}; ejected since {}",
          returned.cluster(),
          returned.address(),
          returned.reason().text(),
          returned.since().truncatedTo(ChronoUnit.MILLIS));
    } else if (event instanceof OutlierEvent.Spared spared) {
      log.debug( // repeated at each sweep for each outlier
          "cluster {}: {} is an outlier but stays, {}, {}; {} endpoints are ejected",
          spared.cluster(),
          spared.address(),
          spared.reason().word(),
          spared.evidence().text(),
          spared.share());
    } else if (event instanceof LbEvent.PrioritySwitch change) {
      log.info(
          "cluster {}: {} is in use now ({}), {} before: {}",
          change.cluster(),
          change.to(),
          change.state(),
          change.from(),
          change.reason());
    } else if (event instanceof LbEvent.EndpointState change) {
      log.debug( // a thousand endpoints may fail at once
          "cluster {}: {} is {} now {}",
          change.cluster(),
          change.address(),
          change.state(),
          change.reason().message());
    } else if (event instanceof LbEvent.Outage outage) {
      log.warn("cluster {}: {}", outage.cluster(), outage.text());
    } else if (event instanceof LbEvent.OutageOver over) {
      log.info("cluster {}: {}", over.cluster(), over.text());
    } else {
      throw new AssertionError(event);
    }
  }
}
