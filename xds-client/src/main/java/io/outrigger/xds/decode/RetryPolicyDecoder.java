package io.outrigger.xds.decode;

import io.envoyproxy.envoy.config.route.v3.RetryPolicy.RetryBackOff;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.RetryPolicy;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Decodes {@code RetryPolicy} (A44 "Converting Envoy RetryPolicy to gRPC RetryPolicy"). */
final class RetryPolicyDecoder {
  private RetryPolicyDecoder() {}

  /** Returns empty if the policy is invalid or retries nothing. */
  static Optional<RetryPolicy> decode(
      io.envoyproxy.envoy.config.route.v3.RetryPolicy proto, FieldErrors errors) {
    int attempts = maxAttempts(proto, errors);
    RetryBackOff backOff = proto.getRetryBackOff();
    FieldErrors here = errors.at("retry_back_off");
    Optional<Duration> base =
        proto.hasRetryBackOff()
            ? base(backOff, here.at("base_interval"))
            : Optional.of(RetryPolicy.DEFAULT_BASE_INTERVAL);
    Optional<Duration> max =
        backOff.hasMaxInterval()
            ? interval(backOff.getMaxInterval(), here.at("max_interval"))
            : base.map(interval -> interval.multipliedBy(RetryPolicy.DEFAULT_MAX_FACTOR));
    Set<Code> codes = codes(proto.getRetryOn());
    if (base.isEmpty() || max.isEmpty()) {
      return Optional.empty();
    }
    if (max.get().compareTo(base.get()) < 0) {
      return here.at("max_interval").refuse("is less than base_interval");
    }
    return attempts < 2 || codes.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new RetryPolicy(
                codes, attempts, atLeastMinimum(base.get()), atLeastMinimum(max.get())));
  }

  /** Raises an interval to the minimum, after base and maximum have been compared (A44-03). */
  private static Duration atLeastMinimum(Duration interval) {
    Duration shortest = RetryPolicy.MIN_INTERVAL;
    return interval.compareTo(shortest) < 0 ? shortest : interval;
  }

  /**
   * Decodes {@code retry_on}. The words of {@code retry_on} for HTTP conditions have no effect
   * (A44-01). The case of the words is ignored, as in grpc-go and grpc-java.
   */
  private static Set<Code> codes(String retryOn) {
    Set<Code> codes = EnumSet.noneOf(Code.class);
    for (String word : retryOn.split(",", -1)) {
      switch (word.strip().toLowerCase(Locale.ROOT)) {
        case "cancelled" -> codes.add(Code.CANCELLED);
        case "deadline-exceeded" -> codes.add(Code.DEADLINE_EXCEEDED);
        case "internal" -> codes.add(Code.INTERNAL);
        case "resource-exhausted" -> codes.add(Code.RESOURCE_EXHAUSTED);
        case "unavailable" -> codes.add(Code.UNAVAILABLE);
        default -> {}
      }
    }
    return codes;
  }

  private static int maxAttempts(
      io.envoyproxy.envoy.config.route.v3.RetryPolicy proto, FieldErrors errors) {
    if (!proto.hasNumRetries()) {
      return RetryPolicy.DEFAULT_RETRIES + 1;
    }
    long retries = Integer.toUnsignedLong(proto.getNumRetries().getValue());
    if (retries < 1) {
      errors.at("num_retries").add("is 0; must be at least 1, leave the policy out for no retry");
    }
    return (int) Math.min(retries + 1, RetryPolicy.MAX_ATTEMPTS);
  }

  private static Optional<Duration> base(RetryBackOff proto, FieldErrors errors) {
    return proto.hasBaseInterval()
        ? interval(proto.getBaseInterval(), errors)
        : errors.refuse("is missing");
  }

  private static Optional<Duration> interval(
      com.google.protobuf.Duration proto, FieldErrors errors) {
    Optional<Duration> interval = ProtoDurations.decode(proto, errors);
    if (interval.isPresent() && interval.get().isZero()) {
      return errors.refuse("is 0; must be greater");
    }
    return interval;
  }
}
