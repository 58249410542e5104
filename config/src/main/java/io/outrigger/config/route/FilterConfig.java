package io.outrigger.config.route;

import java.time.Duration;
import java.util.Optional;

/** The configuration of an HTTP filter that is understood (A39). */
public sealed interface FilterConfig {
  /** The terminal filter: forwards. */
  record Router() implements FilterConfig {}

  /** An override only: the filter is passed over (decision 0002). */
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
}
