package io.outrigger.config.route;

import java.time.Duration;
import java.util.Optional;

/**
 * The settings of an HTTP filter that is understood (A39); the class says which filter, and equal
 * settings act alike. Here are those of the gRFCs; another filter may have its settings beside its
 * decoder. Open, since nobody asks for all cases: {@code xds.decode.FilterDecoders} lists what
 * makes settings, {@code proxy.filter.HttpFilters} what acts on them.
 */
public interface FilterConfig {
  /** The terminal filter: forwards. */
  record Router() implements FilterConfig {}

  /** An override only: the filter is passed over (decision config-0002). */
  record Disabled() implements FilterConfig {}

  /** Fault injection (A33). */
  record Fault(Optional<Delay> delay, Optional<Abort> abort, Optional<Long> maxActive)
      implements FilterConfig {
    /** Whether any request could meet a fault; control planes like to send an empty filter. */
    public boolean mayAct() {
      return delay.filter(d -> d.share().numerator() > 0).isPresent()
          || abort.filter(a -> a.share().numerator() > 0).isPresent();
    }
  }

  /** A delay: fixed, or taken from the request's headers when {@code fixed} is empty. */
  record Delay(Optional<Duration> fixed, Fraction share) {}

  /**
   * An abort: by gRPC status, by HTTP status, or from the request's headers when both are empty.
   */
  record Abort(Optional<Integer> grpcStatus, Optional<Integer> httpStatus, Fraction share) {
    public static final int MAX_GRPC_STATUS = 16;
    public static final int MIN_HTTP_STATUS = 200;
    public static final int MAX_HTTP_STATUS = 599;
  }

  /**
   * Session affinity (A55); without {@code cookie} requests pass as if the filter were not there.
   */
  record StatefulSession(Optional<SessionCookie> cookie) implements FilterConfig {
    /** What an override makes of the filter that switches it off (A55-11). */
    public static final StatefulSession OFF = new StatefulSession(Optional.empty());
  }

  /**
   * The cookie that carries a session.
   *
   * @param name not empty; with {@code path} fit for a {@code set-cookie} field (decision
   *     config-0003)
   * @param path the requests that it is for (RFC 6265 section 5.1.4); empty for all
   * @param ttl how long clients are to keep it; zero for as long as they please
   */
  record SessionCookie(String name, String path, Duration ttl) {}
}
