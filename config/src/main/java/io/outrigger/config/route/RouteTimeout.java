package io.outrigger.config.route;

import java.time.Duration;
import java.util.Optional;

/**
 * The timeouts of a route, including the older fields that A31 describes. Each timeout is empty if
 * its field is unset. A zero duration means no limit.
 */
public record RouteTimeout(
    Optional<Duration> timeout,
    Optional<Duration> maxGrpcTimeout,
    Optional<StreamDuration> maxStreamDuration) {
  public static final RouteTimeout UNSET =
      new RouteTimeout(Optional.empty(), Optional.empty(), Optional.empty());

  /**
   * The message {@code MaxStreamDuration}, where {@code grpcTimeoutHeaderMax} takes precedence over
   * {@code maxStreamDuration}.
   */
  public record StreamDuration(
      Optional<Duration> maxStreamDuration, Optional<Duration> grpcTimeoutHeaderMax) {}
}
