package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.FilterConfig.Abort;
import io.outrigger.config.route.FilterConfig.Delay;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.route.RequestView;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Injects faults (A33). Whether to delay a request and whether to abort it are two independent
 * random draws; the delay comes first (A33-03). A fault is active until its delay ends. A request
 * header with an invalid or out-of-range number is ignored.
 *
 * @param active the number of faults in this process that are active now
 */
@AnyThread
record FaultFilter(FilterConfig.Fault fault, AtomicLong active) implements RouteFilter {
  static final long NO_DELAY = -1;

  static final String DELAY = "x-envoy-fault-delay-request";
  static final String DELAY_PERCENTAGE = "x-envoy-fault-delay-request-percentage";
  static final String ABORT_HTTP = "x-envoy-fault-abort-request";
  static final String ABORT_GRPC = "x-envoy-fault-abort-grpc-request";
  static final String ABORT_PERCENTAGE = "x-envoy-fault-abort-request-percentage";

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");
  private static final long ABSENT = -1;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Returns a fault filter; empty when the settings can never inject a fault. */
  static Optional<FaultFilter> of(FilterConfig.Fault fault, AtomicLong active) {
    return fault.canAct() ? Optional.of(new FaultFilter(fault, active)) : Optional.empty();
  }

  @Override
  public FilterStep onRequest(FilteredCall call) {
    long delayNanos = delayNanos(fault, call.request(), call.random());
    FilterStep.Answer abort = abort(fault, call.request(), call.random());
    if (delayNanos == NO_DELAY && abort == null) {
      return FilterStep.PROCEED;
    }
    if (active.incrementAndGet() > fault.maxActive().orElse(Long.MAX_VALUE)) {
      active.decrementAndGet();
      return FilterStep.PROCEED;
    }
    FilterStep last = abort == null ? FilterStep.PROCEED : abort;
    if (delayNanos != NO_DELAY) {
      return new FilterStep.Pause(delayNanos, last, active::decrementAndGet);
    }
    active.decrementAndGet();
    return last;
  }

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
      return new FilterStep.Answer(
          new RpcStatus(Code.ofHttpStatus(status), text), LocalReason.FAULT, status);
    }
    Code code = Code.ofNumber(grpcStatus.orElseThrow());
    return new FilterStep.Answer(
        new RpcStatus(code, "fault injection: aborted"), LocalReason.FAULT);
  }

  /**
   * Returns the configured fraction with its numerator lowered to the value of a request header. A
   * header value above the configured numerator is ignored.
   */
  private static Fraction lowered(Fraction share, RequestView request, String header) {
    long requested = number(request, header);
    return requested == ABSENT || requested >= share.numerator()
        ? share
        : new Fraction(requested, share.denominator());
  }

  private static Optional<Integer> status(RequestView request, String header, int min, int max) {
    long number = number(request, header);
    return number < min || number > max ? Optional.empty() : Optional.of((int) number);
  }

  /** Returns a header's last value as a number; {@link #ABSENT} if there is no valid number. */
  private static long number(RequestView request, String header) {
    String values = request.header(header);
    if (values == null) {
      return ABSENT;
    }
    String text = values.substring(values.lastIndexOf(',') + 1);
    return NUMBER.matcher(text).matches() ? Long.parseLong(text) : ABSENT;
  }

  @Override
  public Optional<FilterPlan> plan(RequestView request, Set<String> clusters) {
    Map<String, String> effects = new LinkedHashMap<>();
    fault.delay().ifPresent(delay -> effects.put("delay", text(delay) + " for " + delay.share()));
    fault.abort().ifPresent(abort -> effects.put("abort", text(abort) + " for " + abort.share()));
    return Optional.of(new FilterPlan(LocalReason.FAULT.word(), effects, Optional.empty()));
  }

  private static String text(Delay delay) {
    return delay.fixed().map(fixed -> fixed.toMillis() + " ms").orElse("as a header says");
  }

  private static String text(Abort abort) {
    Optional<String> grpc = abort.grpcStatus().map(status -> "gRPC status " + status);
    return grpc.or(() -> abort.httpStatus().map(status -> "HTTP status " + status))
        .orElse("the status that a header says");
  }
}
