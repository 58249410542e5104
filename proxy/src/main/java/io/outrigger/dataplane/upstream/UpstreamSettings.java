package io.outrigger.dataplane.upstream;

import io.outrigger.http2.ConnectionSettings;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings for connections to backends.
 *
 * @param connectTimeout the limit for one attempt, including the wait for the peer's SETTINGS
 * @param keepAlive the settings for connections with open calls; empty turns keepalive off
 * @param idleTimeout the time without calls after which a connection is closed, unless it is the
 *     last connection to its backend; zero disables the timeout
 */
public record UpstreamSettings(
    Duration connectTimeout,
    Optional<KeepAlive> keepAlive,
    Duration idleTimeout,
    ConnectionSettings http2) {
  /**
   * The keepalive settings.
   *
   * @param time the time without received data after which a PING is sent
   * @param timeout the time after which a connection without an answer to its PING is closed
   */
  public record KeepAlive(Duration time, Duration timeout) {}
}
