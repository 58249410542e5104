/**
 * Counts and reports calls: statistics per event loop and their sums, histograms, spans, and the
 * summary that observers receive.
 */
package io.outrigger.dataplane.calls;
