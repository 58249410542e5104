package io.outrigger.observe.history;

import java.time.Instant;

/**
 * The calls that ended within one minute. Latencies are in milliseconds, to within 6 %. The
 * components are the members of the minute in {@code /history}.
 *
 * @param time the start of the minute, or of the observed part of the minute
 */
public record Minute(
    Instant time,
    long requests,
    long errors,
    double p50Ms,
    double p90Ms,
    double p99Ms,
    double maxMs) {}
