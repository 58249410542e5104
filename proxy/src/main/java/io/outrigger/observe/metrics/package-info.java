/**
 * Metrics in Prometheus text (CONTRACT section 6): gRPC's own instruments under their Prometheus
 * names, and {@code outrigger_*} for the others. A scrape reads counters that the control loop and
 * the event loops keep, and another thread renders the text.
 */
package io.outrigger.observe.metrics;
