package io.outrigger.dataplane.upstream;

import io.outrigger.http2.ConnectionSettings;
import java.time.Duration;
import java.util.Optional;

/**
 * How connections to backends are made and kept.
 *
 * @param connectTimeout for one attempt, the peer's SETTINGS included
 * @param keepAlive whether and how silent backends are probed while calls are open
 * @param idleTimeout after which a connection that has no calls is closed, unless it is the last
 *     one to its backend; zero: never
 * @param http2 what backends are granted
 */
public record UpstreamSettings(
    Duration connectTimeout,
    Optional<KeepAlive> keepAlive,
    Duration idleTimeout,
    ConnectionSettings http2) {
  /** gRPC connection-backoff.md: MIN_CONNECT_TIMEOUT. */
  public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(20);

  /** As gRPC channels go idle. */
  public static final Duration IDLE_TIMEOUT = Duration.ofMinutes(30);

  /** No probing, as gRPC's default. */
  public static final UpstreamSettings DEFAULT =
      new UpstreamSettings(
          CONNECT_TIMEOUT, Optional.empty(), IDLE_TIMEOUT, ConnectionSettings.DEFAULT);

  /** Probes after {@code time} of silence; without an answer for {@code timeout} it is lost. */
  public record KeepAlive(Duration time, Duration timeout) {}
}
