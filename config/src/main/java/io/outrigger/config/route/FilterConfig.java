package io.outrigger.config.route;

import java.time.Duration;
import java.util.Optional;

/**
 * The settings of a supported HTTP filter (A39). The Java class of the settings identifies the
 * filter. This file has the settings of filters that gRFCs define; settings of other filters may be
 * in the packages of their decoders. {@code xds.decode.FilterDecoders} lists the decoders of
 * settings. {@code dataplane.filter.HttpFilters} lists the filters that use the settings.
 */
public interface FilterConfig {
  /** The router, the terminal filter, which forwards requests. */
  record Router() implements FilterConfig {}

  /** Disables a filter (decision config-0002). Listeners have no {@code Disabled} filters. */
  record Disabled() implements FilterConfig {}

  /** Fault injection (A33). */
  record Fault(Optional<Delay> delay, Optional<Abort> abort, Optional<Long> maxActive)
      implements FilterConfig {
    /**
     * Whether the filter can affect any request. Control planes often send fault filters with
     * neither a delay nor an abort, which affect no request.
     */
    public boolean canAct() {
      return delay.filter(d -> d.share().numerator() > 0).isPresent()
          || abort.filter(a -> a.share().numerator() > 0).isPresent();
    }
  }

  /** Delays a share of the requests by a {@code fixed} time, or by the time in request headers. */
  record Delay(Optional<Duration> fixed, Fraction share) {}

  /** Aborts a share of the requests. If no status is set, request headers define the status. */
  record Abort(Optional<Integer> grpcStatus, Optional<Integer> httpStatus, Fraction share) {
    public static final int MAX_GRPC_STATUS = 16;
    public static final int MIN_HTTP_STATUS = 200;
    public static final int MAX_HTTP_STATUS = 599;
  }

  /** Session affinity (A55). The session filter has no effect if {@code cookie} is empty. */
  record StatefulSession(Optional<SessionCookie> cookie) implements FilterConfig {
    public static final StatefulSession OFF = new StatefulSession(Optional.empty());
  }

  /**
   * The cookie that carries a session. {@code name} and {@code path} are valid in a {@code
   * set-cookie} header (decision config-0003).
   *
   * @param path the path of the requests that use the session (RFC 6265 section 5.1.4); empty for
   *     all paths
   * @param ttl the lifetime of the cookie; zero for a cookie without {@code Max-Age}
   */
  record SessionCookie(String name, String path, Duration ttl) {}
}
