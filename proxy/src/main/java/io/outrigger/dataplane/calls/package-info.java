/**
 * Calls as they are counted and told: statistics by loop and their sums, histograms, spans, the
 * summary that observers hear. Stands below the forwarding of calls; the access log, the history,
 * metrics and telemetry need only this.
 */
@NullMarked
package io.outrigger.dataplane.calls;

import org.jspecify.annotations.NullMarked;
