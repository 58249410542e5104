package io.outrigger.config.route;

import java.time.Duration;
import java.util.Optional;

/**
 * The limits a route may give, in both generations of A31. Empty means not given; zero means no
 * limit. Negative durations never get here: the decoder refuses them.
 *
 * @param timeout {@code RouteAction.timeout}
 * @param maxGrpcTimeout {@code RouteAction.max_grpc_timeout}
 * @param maxStreamDuration {@code RouteAction.max_stream_duration}, when the message is there
 */
public record RouteTimeout(
    Optional<Duration> timeout,
    Optional<Duration> maxGrpcTimeout,
    Optional<StreamDuration> maxStreamDuration) {
  /** A route without any limit of its own. */
  public static final RouteTimeout UNSET =
      new RouteTimeout(Optional.empty(), Optional.empty(), Optional.empty());

  /**
   * The message {@code RouteAction.MaxStreamDuration}.
   *
   * @param maxStreamDuration its field of the same name
   * @param grpcTimeoutHeaderMax wins over the other field when both are there
   */
  public record StreamDuration(
      Optional<Duration> maxStreamDuration, Optional<Duration> grpcTimeoutHeaderMax) {}
}
