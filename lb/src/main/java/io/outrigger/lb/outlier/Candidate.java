package io.outrigger.lb.outlier;

import io.outrigger.lb.view.OutlierEvent;

/**
 * An outlier that is not ejected yet.
 *
 * @param host the index of the outlier among the examined endpoints
 */
record Candidate(int host, OutlierEvent.Evidence evidence) {}
