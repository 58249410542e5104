package io.outrigger.lb.outlier;

import io.outrigger.lb.view.OutlierEvent;

/**
 * An outlier, not yet ejected.
 *
 * @param host its index among the examined endpoints
 */
record Candidate(int host, OutlierEvent.Evidence evidence) {}
