/**
 * Metrics in Prometheus text (CONTRACT section 6): gRPC's instruments under their Prometheus names,
 * and the proxy's own instruments as {@code outrigger_*}. A scrape reads counters that the control
 * loop and the event loops keep, and another thread renders the text.
 */
package io.outrigger.observe.metrics;
