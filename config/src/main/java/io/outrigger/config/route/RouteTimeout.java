package io.outrigger.config.route;

import java.time.Duration;
import java.util.Optional;

/**
 * The timeouts of a route, including the older fields that A31 describes. A timeout is empty if the
 * route does not set its field. A zero duration means no limit.
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
