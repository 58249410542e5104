package io.outrigger.xds.decode;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest;
import io.outrigger.config.cluster.BalancingPolicy;
import java.util.Optional;

/** Decodes {@code least_request}; only {@code choice_count} has an effect (A48). */
final class LeastRequestDecoder {
  static final String TYPE =
      "envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest";

  /**
   * As {@code lb_policy}, the policy is used within localities that are chosen by weight (A52-04).
   */
  static final PolicyDecoder DECODER =
      PolicyDecoder.ofMessage(
              TYPE,
              "least_request_experimental",
              LeastRequest::getDefaultInstance,
              (proto, errors) -> decode(proto.hasChoiceCount(), proto.getChoiceCount(), errors))
          .orLegacy(
              Cluster.LbPolicy.LEAST_REQUEST,
              (cluster, errors) ->
                  decode(
                          cluster.getLeastRequestLbConfig().hasChoiceCount(),
                          cluster.getLeastRequestLbConfig().getChoiceCount(),
                          errors.at("least_request_lb_config"))
                      .map(BalancingPolicy.WrrLocality::new));

  private LeastRequestDecoder() {}

  private static Optional<BalancingPolicy> decode(
      boolean present, UInt32Value choiceCount, FieldErrors errors) {
    long choices =
        present
            ? Integer.toUnsignedLong(choiceCount.getValue())
            : BalancingPolicy.LeastRequest.DEFAULT_CHOICES;
    if (choices < 2) {
      errors.at("choice_count").add("is " + choices + "; must be at least 2");
      return Optional.empty();
    }
    return Optional.of(
        new BalancingPolicy.LeastRequest(
            (int) Math.min(choices, BalancingPolicy.LeastRequest.MAX_CHOICES)));
  }
}
