package io.outrigger.dataplane.filter;

import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.FilterConfig.Abort;
import io.outrigger.config.route.FilterConfig.Delay;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.route.RequestView;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a fault filter does to one request: pure functions of configuration, headers and
 * draws (A33). Delay and abort draw on their own. A header that is not a number in its range is as
 * if it were not there.
 */
final class FaultDraw {
  /** No delay. */
  static final long NO_DELAY = -1;

  static final String DELAY = "x-envoy-fault-delay-request";
  static final String DELAY_PERCENTAGE = "x-envoy-fault-delay-request-percentage";
  static final String ABORT_HTTP = "x-envoy-fault-abort-request";
  static final String ABORT_GRPC = "x-envoy-fault-abort-grpc-request";
  static final String ABORT_PERCENTAGE = "x-envoy-fault-abort-request-percentage";

  private static final int MAX_DIGITS = 10;
  private static final long ABSENT = -1;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private FaultDraw() {}

  /** How long to hold the request back; {@link #NO_DELAY} when not at all. */
  static long delayNanos(FilterConfig.Fault fault, RequestView request, RandomSource random) {
    if (fault.delay().isEmpty()) {
      return NO_DELAY;
    }
    Delay delay = fault.delay().get();
    Fraction share = delay.share();
    long nanos;
    if (delay.fixed().isPresent()) {
      nanos = delay.fixed().get().toNanos();
    } else {
      long millis = number(request, DELAY);
      if (millis == ABSENT) {
        return NO_DELAY;
      }
      nanos = millis * NANOS_PER_MILLI;
      share = lowered(share, request, DELAY_PERCENTAGE);
    }
    return share.draw(random, Purpose.FAULT_DELAY) ? nanos : NO_DELAY;
  }

  /** The answer in the backend's place; null when the request goes on. */
  static FilterStep.@Nullable Answer abort(
      FilterConfig.Fault fault, RequestView request, RandomSource random) {
    if (fault.abort().isEmpty()) {
      return null;
    }
    Abort abort = fault.abort().get();
    Optional<Integer> grpcStatus = abort.grpcStatus();
    Optional<Integer> httpStatus = abort.httpStatus();
    Fraction share = abort.share();
    if (grpcStatus.isEmpty() && httpStatus.isEmpty()) {
      grpcStatus = status(request, ABORT_GRPC, 0, Abort.MAX_GRPC_STATUS);
      httpStatus = status(request, ABORT_HTTP, Abort.MIN_HTTP_STATUS, Abort.MAX_HTTP_STATUS);
      if (grpcStatus.isEmpty() && httpStatus.isEmpty()) {
        return null;
      }
      share = lowered(share, request, ABORT_PERCENTAGE);
    }
    if (!share.draw(random, Purpose.FAULT_ABORT)) {
      return null;
    }
    if (httpStatus.isPresent()) { // of two headers it decides, as in grpc-java
      int status = httpStatus.get();
      String text = "fault injection: aborted as if with HTTP status " + status;
      return new FilterStep.Answer(new RpcStatus(Code.ofHttpStatus(status), text), status);
    }
    Code code = Code.ofNumber(grpcStatus.orElseThrow());
    return new FilterStep.Answer(new RpcStatus(code, "fault injection: aborted"), 0);
  }

  /** A header sets the numerator only, and never above the configured one. */
  private static Fraction lowered(Fraction share, RequestView request, String header) {
    long asked = number(request, header);
    return asked == ABSENT || asked >= share.numerator()
        ? share
        : new Fraction(asked, share.denominator());
  }

  private static Optional<Integer> status(RequestView request, String header, int min, int max) {
    long number = number(request, header);
    return number < min || number > max ? Optional.empty() : Optional.of((int) number);
  }

  /** The header as a decimal number, the last of several; {@link #ABSENT} when it is none. */
  private static long number(RequestView request, String header) {
    String values = request.header(header);
    if (values == null) {
      return ABSENT;
    }
    String text = values.substring(values.lastIndexOf(',') + 1);
    if (text.isEmpty() || text.length() > MAX_DIGITS) {
      return ABSENT;
    }
    long number = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return ABSENT;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
