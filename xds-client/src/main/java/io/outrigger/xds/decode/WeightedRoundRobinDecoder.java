package io.outrigger.xds.decode;

import io.envoyproxy.envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import java.time.Duration;
import java.util.Optional;

/** Decodes {@code weighted_round_robin} (A58, A114). */
final class WeightedRoundRobinDecoder {
  static final String TYPE =
      "envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3"
          + ".ClientSideWeightedRoundRobin";

  static final PolicyDecoder DECODER =
      PolicyDecoder.ofMessage(
          TYPE,
          "weighted_round_robin",
          ClientSideWeightedRoundRobin::getDefaultInstance,
          WeightedRoundRobinDecoder::decode);

  private WeightedRoundRobinDecoder() {}

  private static Optional<BalancingPolicy> decode(
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
    if (!(penalty >= 0) || Double.isInfinite(penalty)) { // a NaN is not at least 0
      return errors
          .at("error_utilization_penalty")
          .refuse("is " + penalty + "; must be a number of at least 0");
    }
    return Optional.of(
        new WeightedRoundRobin(
            proto.getEnableOobLoadReport().getValue(),
            oobPeriod,
            blackout,
            expiration,
            updatePeriod,
            penalty,
            proto.getMetricNamesForComputingUtilizationList()));
  }

  private static Duration duration(
      boolean present, com.google.protobuf.Duration proto, Duration otherwise, FieldErrors errors) {
    return present ? ProtoDurations.orZero(proto, errors).orElse(otherwise) : otherwise;
  }
}
