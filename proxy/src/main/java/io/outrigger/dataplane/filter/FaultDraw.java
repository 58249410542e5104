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
 * Decides whether a fault filter delays or aborts one request. The methods are pure functions of
 * configuration, headers and random draws (A33). Delay and abort use separate draws. A header with
 * an invalid or out-of-range number counts as absent.
 */
final class FaultDraw {
  static final long NO_DELAY = -1;

  static final String DELAY = "x-envoy-fault-delay-request";
  static final String DELAY_PERCENTAGE = "x-envoy-fault-delay-request-percentage";
  static final String ABORT_HTTP = "x-envoy-fault-abort-request";
  static final String ABORT_GRPC = "x-envoy-fault-abort-grpc-request";
  static final String ABORT_PERCENTAGE = "x-envoy-fault-abort-request-percentage";

  private static final String FAULT = "fault";
  private static final int MAX_DIGITS = 10;
  private static final long ABSENT = -1;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private FaultDraw() {}

  /** Returns the delay of the request, or {@link #NO_DELAY}. */
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

  /** Returns the answer for an aborted request; null when the request is not aborted. */
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
    if (httpStatus.isPresent()) { // the HTTP status takes precedence, as in grpc-java
      int status = httpStatus.get();
      String text = "fault injection: aborted as if with HTTP status " + status;
      return new FilterStep.Answer(new RpcStatus(Code.ofHttpStatus(status), text), FAULT, status);
    }
    Code code = Code.ofNumber(grpcStatus.orElseThrow());
    return new FilterStep.Answer(new RpcStatus(code, "fault injection: aborted"), FAULT, 0);
  }

  /**
   * Lowers the share to the value of a header. The header sets only the numerator, and cannot raise
   * the share.
   */
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

  /**
   * Returns the header as a decimal number, or {@link #ABSENT} for an invalid number. If the header
   * has several values, the last value is used.
   */
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
