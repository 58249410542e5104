/**
 * Metrics in Prometheus text (CONTRACT section 6): gRPC's own instruments under their Prometheus
 * names, {@code outrigger_*} for the rest. Nothing is counted here: a scrape reads the counters
 * that the halves keep and forms the text on the admin thread.
 */
@NullMarked
package io.outrigger.observe.metrics;

import org.jspecify.annotations.NullMarked;
