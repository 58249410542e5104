package io.outrigger.dataplane.route;

import io.outrigger.base.AnyThread;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.RouteTimeout.StreamDuration;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * The limit that a route puts on a request's time, in both generations of A31, reduced to one
 * number when the route is published.
 *
 * <ul>
 *   <li>Mode {@code stream_duration}, the published text: the route has {@code
 *       max_stream_duration}, or has neither {@code timeout} nor {@code max_grpc_timeout} while the
 *       connection manager sets a limit. {@code grpc_timeout_header_max} decides, else {@code
 *       max_stream_duration}, else the connection manager's.
 *   <li>Mode {@code route_timeout}, the first text, otherwise: {@code max_grpc_timeout} decides,
 *       else {@code timeout}, else 15 s.
 * </ul>
 *
 * In each place zero means no limit. The limit never lengthens the app's own deadline.
 */
@AnyThread
public record EffectiveTimeout(long limitNanos, Source source) {
  /** The value for no limit, of a route as of a request. */
  public static final long NONE = Long.MAX_VALUE;

  /** A31 "Supported Fields". */
  static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(15);

  /** Which field decided. */
  public enum Source {
    GRPC_TIMEOUT_HEADER_MAX,
    MAX_STREAM_DURATION,
    LISTENER_MAX_STREAM_DURATION,
    MAX_GRPC_TIMEOUT,
    TIMEOUT,
    DEFAULT_TIMEOUT,
    NOTHING;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** For people: {@code max_grpc_timeout}. */
    public String text() {
      return text;
    }
  }

  /**
   * @param listener the connection manager's {@code max_stream_duration}
   * @param ignoreRouteTimeout leave the older pair of fields out of account, as the shipped clients
   *     do
   */
  public static EffectiveTimeout of(
      RouteTimeout route, Optional<Duration> listener, boolean ignoreRouteTimeout) {
    boolean olderPair = route.timeout().isPresent() || route.maxGrpcTimeout().isPresent();
    if (ignoreRouteTimeout
        || route.maxStreamDuration().isPresent()
        || (!olderPair && listener.isPresent())) {
      return byStreamDuration(route, listener);
    }
    if (route.maxGrpcTimeout().isPresent()) {
      return new EffectiveTimeout(nanos(route.maxGrpcTimeout().get()), Source.MAX_GRPC_TIMEOUT);
    }
    if (route.timeout().isPresent()) {
      return new EffectiveTimeout(nanos(route.timeout().get()), Source.TIMEOUT);
    }
    return new EffectiveTimeout(nanos(DEFAULT_TIMEOUT), Source.DEFAULT_TIMEOUT);
  }

  /**
   * How long the request may take from the arrival of its headers.
   *
   * @param appNanos what the app asked for, or {@link #NONE}
   * @return the sooner of both, or {@link #NONE}
   */
  public long forRequest(long appNanos) {
    return Math.min(appNanos, limitNanos);
  }

  private static EffectiveTimeout byStreamDuration(
      RouteTimeout route, Optional<Duration> listener) {
    Optional<Duration> headerMax =
        route.maxStreamDuration().flatMap(StreamDuration::grpcTimeoutHeaderMax);
    if (headerMax.isPresent()) {
      return new EffectiveTimeout(nanos(headerMax.get()), Source.GRPC_TIMEOUT_HEADER_MAX);
    }
    Optional<Duration> streamMax =
        route.maxStreamDuration().flatMap(StreamDuration::maxStreamDuration);
    if (streamMax.isPresent()) {
      return new EffectiveTimeout(nanos(streamMax.get()), Source.MAX_STREAM_DURATION);
    }
    if (listener.isPresent()) {
      return new EffectiveTimeout(nanos(listener.get()), Source.LISTENER_MAX_STREAM_DURATION);
    }
    return new EffectiveTimeout(NONE, Source.NOTHING);
  }

  /** Zero is no limit; what does not fit a long is clamped to no limit (A31-32). */
  private static long nanos(Duration limit) {
    if (limit.isZero()) {
      return NONE;
    }
    return limit.toSeconds() >= Long.MAX_VALUE / 1_000_000_000L ? NONE : limit.toNanos();
  }
}
