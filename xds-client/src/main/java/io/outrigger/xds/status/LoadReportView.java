package io.outrigger.xds.status;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * The status of load reports to one server.
 *
 * @param interval the interval that the server requested; empty while the current stream has no
 *     response
 * @param reports the number of reports sent so far
 * @param failures the number of streams that ended without a response
 * @param outage the reason of the last failure, until the next response
 */
@AnyThread
public record LoadReportView(
    String server,
    Optional<Duration> interval,
    long reports,
    long failures,
    Optional<RpcStatus> outage) {}
