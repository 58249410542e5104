package io.outrigger.config.route;

import java.time.Duration;
import java.util.Optional;

/** The configuration of an HTTP filter that is understood (A39). */
public sealed interface FilterConfig {
  /** The terminal filter: forwards. */
  record Router() implements FilterConfig {}

  /** Fault injection (A33). */
  record Fault(Optional<Delay> delay, Optional<Abort> abort, Optional<Long> maxActive)
      implements FilterConfig {}

  /** A delay: fixed, or taken from the request's headers when {@code fixed} is empty. */
  record Delay(Optional<Duration> fixed, Fraction share) {}

  /**
   * An abort: by gRPC status, by HTTP status, or from the request's headers when both are empty.
   */
  record Abort(Optional<Integer> grpcStatus, Optional<Integer> httpStatus, Fraction share) {}
}
