package io.outrigger.xds.decode;

import io.envoyproxy.envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality;
import io.outrigger.config.cluster.BalancingPolicy;
import java.util.Optional;

/**
 * Decodes {@code wrr_locality}, which chooses localities by weight and applies a child policy
 * within each (A52).
 */
final class WrrLocalityDecoder {
  static final String TYPE = "envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality";

  static final PolicyDecoder DECODER =
      new PolicyDecoder(
          TYPE,
          (config, children, errors) ->
              config
                  .read(WrrLocality.getDefaultInstance(), errors)
                  .flatMap(proto -> decode(proto, children, errors.at("endpoint_picking_policy"))),
          new PolicyDecoder.Custom(
              "wrr_locality_experimental",
              config -> config.policy("childPolicy").map(WrrLocalityDecoder::of)));

  private WrrLocalityDecoder() {}

  private static Optional<BalancingPolicy> decode(
      WrrLocality proto, PolicyDecoder.Children children, FieldErrors here) {
    if (!proto.hasEndpointPickingPolicy()) {
      here.add("is missing");
      return Optional.empty();
    }
    return children.decode(proto.getEndpointPickingPolicy(), here).map(WrrLocalityDecoder::of);
  }

  /**
   * Returns a policy with {@code child} in each locality. A {@code child} that is also a {@code
   * wrr_locality} is returned unchanged, because the inner policy would have only one locality to
   * choose from.
   */
  private static BalancingPolicy of(BalancingPolicy child) {
    return child instanceof BalancingPolicy.WrrLocality
        ? child
        : new BalancingPolicy.WrrLocality(child);
  }
}
