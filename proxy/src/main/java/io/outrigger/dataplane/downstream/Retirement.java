package io.outrigger.dataplane.downstream;

import io.outrigger.base.AnyThread;
import java.time.Duration;

/**
 * The end of a connection, after which its caller has to connect again.
 *
 * @param goAway the time until GOAWAY is sent
 * @param end the time until the connection is closed, whether or not its streams have ended
 */
@AnyThread
public record Retirement(Duration goAway, Duration end) {}
