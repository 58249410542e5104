package io.outrigger.observe.history;

import java.time.Instant;

/**
 * The calls that ended within one minute. Latencies are in microseconds, to within 6 %.
 *
 * @param begin the start of the minute, or of the observed part of the minute
 */
public record Minute(
    Instant begin, long requests, long errors, long p50, long p90, long p99, long longest) {}
