package io.outrigger.xds.decode;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest;
import io.outrigger.config.cluster.BalancingPolicy;
import java.util.Optional;

/** Decodes {@code least_request}; only {@code choice_count} has an effect (A48). */
final class LeastRequestDecoder implements PolicyDecoder {
  static final String TYPE =
      "envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest";

  @Override
  public String typeName() {
    return TYPE;
  }

  @Override
  public Optional<BalancingPolicy> decode(
      TypedConfig config, Children children, FieldErrors errors) {
    return config
        .read(LeastRequest.getDefaultInstance(), errors)
        .flatMap(proto -> decode(proto.hasChoiceCount(), proto.getChoiceCount(), errors));
  }

  @Override
  public Optional<Custom> custom() {
    return Optional.of(
        new Custom(
            "least_request_experimental",
            config ->
                config
                    .read(LeastRequest.getDefaultInstance())
                    .flatMap(
                        proto ->
                            decode(
                                proto.hasChoiceCount(), proto.getChoiceCount(), config.errors()))));
  }

  /**
   * As {@code lb_policy}, {@code least_request} is used within localities that are chosen by weight
   * (A52-04).
   */
  @Override
  public Optional<Legacy> legacy() {
    return Optional.of(
        new Legacy(
            Cluster.LbPolicy.LEAST_REQUEST,
            (cluster, errors) ->
                decode(
                        cluster.getLeastRequestLbConfig().hasChoiceCount(),
                        cluster.getLeastRequestLbConfig().getChoiceCount(),
                        errors.at("least_request_lb_config"))
                    .map(BalancingPolicy.WrrLocality::new)));
  }

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
