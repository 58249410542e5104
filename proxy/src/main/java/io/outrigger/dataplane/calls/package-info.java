/**
 * Counts and reports calls: statistics per event loop and their sums, histograms, spans, and the
 * summary that observers receive. This package does not depend on {@code dataplane.forward}. The
 * access log, the traffic history, metrics and telemetry depend only on this package.
 */
@NullMarked
package io.outrigger.dataplane.calls;

import org.jspecify.annotations.NullMarked;
