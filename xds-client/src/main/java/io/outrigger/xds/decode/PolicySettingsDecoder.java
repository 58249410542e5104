package io.outrigger.xds.decode;

import com.google.protobuf.UInt32Value;
import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.RingHashLbConfig;
import io.envoyproxy.envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin;
import io.envoyproxy.envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy.LeastRequest;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import java.time.Duration;
import java.util.Optional;

/** The settings of single policies, with their defaults and bounds (A42, A48, A58, A114). */
final class PolicySettingsDecoder {
  private PolicySettingsDecoder() {}

  /** {@code Cluster.ring_hash_lb_config}. */
  static Optional<BalancingPolicy> ringHash(RingHashLbConfig proto, FieldErrors errors) {
    if (proto.getHashFunction() != RingHashLbConfig.HashFunction.XX_HASH) {
      refuseHashFunction(proto.getHashFunction().name(), errors);
      return Optional.empty();
    }
    return ringHash(
        size(proto.hasMinimumRingSize(), proto.getMinimumRingSize()),
        size(proto.hasMaximumRingSize(), proto.getMaximumRingSize()),
        errors);
  }

  /** The extension RingHash. */
  static Optional<BalancingPolicy> ringHash(RingHash proto, FieldErrors errors) {
    if (proto.getHashFunction() != RingHash.HashFunction.XX_HASH) { // A52: not even the default
      refuseHashFunction(proto.getHashFunction().name(), errors);
      return Optional.empty();
    }
    return ringHash(
        size(proto.hasMinimumRingSize(), proto.getMinimumRingSize()),
        size(proto.hasMaximumRingSize(), proto.getMaximumRingSize()),
        errors);
  }

  private static void refuseHashFunction(String name, FieldErrors errors) {
    errors.at("hash_function").add(name + " is not supported; must be XX_HASH");
  }

  private static Optional<Long> size(boolean present, UInt64Value proto) {
    return present ? Optional.of(proto.getValue()) : Optional.empty();
  }

  private static Optional<BalancingPolicy> ringHash(
      Optional<Long> min, Optional<Long> max, FieldErrors errors) {
    return ringHash(
        min,
        errors.at("minimum_ring_size"),
        max.orElse(BalancingPolicy.RingHash.LARGEST),
        errors.at("maximum_ring_size"),
        "");
  }

  /** Sizes are unsigned; see {@link BalancingPolicy.RingHash}. */
  static Optional<BalancingPolicy> ringHash(
      Optional<Long> min, FieldErrors atMin, long max, FieldErrors atMax, String hashHeader) {
    long least = min.orElse(BalancingPolicy.RingHash.DEFAULT_MIN_SIZE);
    boolean minIsLegal = isLegalSize(least, atMin);
    boolean maxIsLegal = isLegalSize(max, atMax);
    if (!minIsLegal || !maxIsLegal) {
      return Optional.empty();
    }
    if (least > max) {
      atMin.add("is " + least + ", above the maximum of " + max);
      return Optional.empty();
    }
    return Optional.of(new BalancingPolicy.RingHash(least, max, hashHeader));
  }

  private static boolean isLegalSize(long size, FieldErrors errors) {
    if (size >= 1 && size <= BalancingPolicy.RingHash.LARGEST) {
      return true;
    }
    errors.add(
        "is " + Long.toUnsignedString(size) + "; must be 1 to " + BalancingPolicy.RingHash.LARGEST);
    return false;
  }

  /** {@code least_request_lb_config} or the extension LeastRequest: one field counts (A48). */
  static Optional<BalancingPolicy> leastRequest(
      boolean present, UInt32Value choiceCount, FieldErrors errors) {
    return leastRequest(
        present ? Integer.toUnsignedLong(choiceCount.getValue()) : LeastRequest.DEFAULT_CHOICES,
        errors.at("choice_count"));
  }

  static Optional<BalancingPolicy> leastRequest(long choices, FieldErrors atChoices) {
    if (choices < 2) {
      atChoices.add("is " + choices + "; must be at least 2");
      return Optional.empty();
    }
    return Optional.of(new LeastRequest((int) Math.min(choices, LeastRequest.MOST_CHOICES)));
  }

  /** The extension ClientSideWeightedRoundRobin. */
  static Optional<BalancingPolicy> weightedRoundRobin(
      ClientSideWeightedRoundRobin proto, FieldErrors errors) {
    Duration oobPeriod =
        duration(
            proto.hasOobReportingPeriod(),
            proto.getOobReportingPeriod(),
            WeightedRoundRobin.DEFAULT_OOB_PERIOD,
            errors.at("oob_reporting_period"));
    Duration blackout =
        duration(
            proto.hasBlackoutPeriod(),
            proto.getBlackoutPeriod(),
            WeightedRoundRobin.DEFAULT_BLACKOUT,
            errors.at("blackout_period"));
    Duration expiration =
        duration(
            proto.hasWeightExpirationPeriod(),
            proto.getWeightExpirationPeriod(),
            WeightedRoundRobin.DEFAULT_EXPIRATION,
            errors.at("weight_expiration_period"));
    Duration updatePeriod =
        duration(
            proto.hasWeightUpdatePeriod(),
            proto.getWeightUpdatePeriod(),
            WeightedRoundRobin.DEFAULT_UPDATE_PERIOD,
            errors.at("weight_update_period"));
    double penalty =
        proto.hasErrorUtilizationPenalty()
            ? proto.getErrorUtilizationPenalty().getValue()
            : WeightedRoundRobin.DEFAULT_ERROR_PENALTY;
    return weightedRoundRobin(
        new WeightedRoundRobin(
            proto.getEnableOobLoadReport().getValue(),
            oobPeriod,
            blackout,
            expiration,
            updatePeriod,
            penalty,
            proto.getMetricNamesForComputingUtilizationList()),
        errors.at("error_utilization_penalty"));
  }

  /** Refuses a penalty that would turn errors into merit. */
  static Optional<BalancingPolicy> weightedRoundRobin(
      WeightedRoundRobin settings, FieldErrors atPenalty) {
    if (!(settings.errorPenalty() >= 0) || Double.isInfinite(settings.errorPenalty())) {
      atPenalty.add("is " + settings.errorPenalty() + "; must be a number of at least 0");
      return Optional.empty();
    }
    return Optional.of(settings);
  }

  /** What is illegal is in {@code errors}, and the default instead. */
  private static Duration duration(
      boolean present, com.google.protobuf.Duration proto, Duration otherwise, FieldErrors errors) {
    return present ? ProtoDurations.decode(proto, errors).orElse(otherwise) : otherwise;
  }
}
