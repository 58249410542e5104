package io.outrigger.dataplane.route;

import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.RouteTimeout.StreamDuration;
import java.time.Duration;
import java.util.Optional;

/**
 * The time limit that a route sets for a request, computed when the route is published. A31 has two
 * sets of rules for time limits.
 *
 * <ul>
 *   <li>A31's current rules apply to routes with {@code max_stream_duration}. If the connection
 *       manager has {@code max_stream_duration}, A31's current rules also apply to routes without
 *       {@code timeout} and {@code max_grpc_timeout}. By A31's current rules, the first field that
 *       is set decides: {@code grpc_timeout_header_max}, {@code max_stream_duration}, or the
 *       connection manager's {@code max_stream_duration}.
 *   <li>A31's original rules apply to all other routes. By A31's original rules, the first field
 *       that is set decides: {@code max_grpc_timeout}, {@code timeout}, or the default of 15 s.
 * </ul>
 *
 * If the deciding field is zero, the request has no time limit. A route's limit never extends the
 * app's deadline.
 */
public record EffectiveTimeout(long limitNanos, Source source) {
  /** The value that means that there is no time limit. */
  public static final long NONE = Long.MAX_VALUE;

  /** The default limit of A31 "Supported Fields". */
  static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(15);

  /** The configuration field that set the limit. */
  public enum Source {
    GRPC_TIMEOUT_HEADER_MAX,
    MAX_STREAM_DURATION,
    LISTENER_MAX_STREAM_DURATION,
    MAX_GRPC_TIMEOUT,
    TIMEOUT,
    DEFAULT_TIMEOUT,
    NOTHING
  }

  /**
   * @param listenerLimit the connection manager's {@code max_stream_duration}
   * @param ignoreRouteTimeout whether to ignore {@code timeout} and {@code max_grpc_timeout}, as
   *     the released gRPC clients do
   */
  public static EffectiveTimeout of(
      RouteTimeout route, Optional<Duration> listenerLimit, boolean ignoreRouteTimeout) {
    boolean olderPair = route.timeout().isPresent() || route.maxGrpcTimeout().isPresent();
    if (ignoreRouteTimeout
        || route.maxStreamDuration().isPresent()
        || (!olderPair && listenerLimit.isPresent())) {
      return byStreamDuration(route, listenerLimit);
    }
    return of(route.maxGrpcTimeout(), Source.MAX_GRPC_TIMEOUT)
        .or(() -> of(route.timeout(), Source.TIMEOUT))
        .orElseGet(() -> new EffectiveTimeout(DEFAULT_TIMEOUT.toNanos(), Source.DEFAULT_TIMEOUT));
  }

  /**
   * Returns the time limit of a request, which runs from the arrival of its headers.
   *
   * @param appNanos the timeout that the app sent, or {@link #NONE}
   */
  public long forRequest(long appNanos) {
    return Math.min(appNanos, limitNanos);
  }

  private static EffectiveTimeout byStreamDuration(
      RouteTimeout route, Optional<Duration> listenerLimit) {
    Optional<StreamDuration> set = route.maxStreamDuration();
    return of(set.flatMap(StreamDuration::grpcTimeoutHeaderMax), Source.GRPC_TIMEOUT_HEADER_MAX)
        .or(() -> of(set.flatMap(StreamDuration::maxStreamDuration), Source.MAX_STREAM_DURATION))
        .or(() -> of(listenerLimit, Source.LISTENER_MAX_STREAM_DURATION))
        .orElseGet(() -> new EffectiveTimeout(NONE, Source.NOTHING));
  }

  /** Zero means no limit; so does a duration whose nanoseconds overflow a {@code long} (A31-32). */
  private static Optional<EffectiveTimeout> of(Optional<Duration> limit, Source source) {
    return limit.map(
        given -> {
          boolean isNone = given.isZero() || given.toSeconds() >= Long.MAX_VALUE / 1_000_000_000L;
          return new EffectiveTimeout(isNone ? NONE : given.toNanos(), source);
        });
  }
}
