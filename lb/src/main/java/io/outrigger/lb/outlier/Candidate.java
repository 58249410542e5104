package io.outrigger.lb.outlier;

import io.outrigger.lb.view.OutlierEvent;

/**
 * An outlier, not yet ejected.
 *
 * @param host its place among those that were examined
 */
record Candidate(int host, OutlierEvent.Evidence evidence) {}
