/**
 * Counts and reports calls: statistics per event loop and their sums, histograms, spans, and the
 * summary that observers receive.
 */
@NullMarked
package io.outrigger.dataplane.calls;

import org.jspecify.annotations.NullMarked;
