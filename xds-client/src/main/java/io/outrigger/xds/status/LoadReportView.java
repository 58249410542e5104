package io.outrigger.xds.status;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * How the load reports to one server fare.
 *
 * @param interval what the server asked for; empty while it has not said so on the stream there is
 * @param reports sent so far
 * @param failures streams that ended without a response
 * @param outage why the last of them did, until the next response
 */
@AnyThread
public record LoadReportView(
    String server,
    Optional<Duration> interval,
    long reports,
    long failures,
    Optional<RpcStatus> outage) {}
