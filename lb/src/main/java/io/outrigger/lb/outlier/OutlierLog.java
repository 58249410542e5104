package io.outrigger.lb.outlier;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.OutlierEvent;
import io.outrigger.lb.OutlierObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log lines of outlier detection: who was ejected and why, with the numbers. */
@ControlConfined
final class OutlierLog implements OutlierObserver {
  private static final Logger log = LoggerFactory.getLogger(OutlierLog.class);

  @Override
  public void onOutlier(OutlierEvent event) {
    if (event instanceof OutlierEvent.Ejected ejected) {
      log.info(
          "cluster {}: ejected {} until {} ({}), {} endpoints are ejected, multiplier {}",
          ejected.cluster(),
          ejected.address(),
          ejected.until(),
          ejected.evidence(),
          ejected.after(),
          ejected.multiplier());
    } else if (event instanceof OutlierEvent.Returned returned) {
      log.info(
          "cluster {}: {} is in service again, {}; ejected since {}",
          returned.cluster(),
          returned.address(),
          returned.reason().text(),
          returned.since());
    } else if (event instanceof OutlierEvent.Spared spared) {
      log.debug( // at each sweep again, for as many as there are
          "cluster {}: {} is an outlier but stays, {} ({}), {} endpoints are ejected",
          spared.cluster(),
          spared.address(),
          spared.reason().word(),
          spared.evidence(),
          spared.share());
    }
  }
}
