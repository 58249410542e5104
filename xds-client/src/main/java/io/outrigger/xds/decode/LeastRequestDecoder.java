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

  private static final long DEFAULT_CHOICES = BalancingPolicy.LeastRequest.DEFAULT_CHOICES;

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
                decode(
                    config.number("choiceCount").orElse(DEFAULT_CHOICES),
                    config.at("choiceCount"))));
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
    return decode(
        present ? Integer.toUnsignedLong(choiceCount.getValue()) : DEFAULT_CHOICES,
        errors.at("choice_count"));
  }

  private static Optional<BalancingPolicy> decode(long choices, FieldErrors atChoices) {
    if (choices < 2) {
      atChoices.add("is " + choices + "; must be at least 2");
      return Optional.empty();
    }
    return Optional.of(
        new BalancingPolicy.LeastRequest(
            (int) Math.min(choices, BalancingPolicy.LeastRequest.MAX_CHOICES)));
  }
}
