package io.outrigger.observe.history;

import java.time.Instant;

/**
 * Calls that ended within a minute. Latencies are in microseconds, to within 6 %.
 *
 * @param begin of the minute, or of what was observed of it
 */
public record Minute(
    Instant begin, long requests, long errors, long p50, long p90, long p99, long longest) {}
