package io.outrigger.xds.decode;

import io.envoyproxy.envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst;
import io.outrigger.config.cluster.BalancingPolicy;
import java.util.Optional;

/** Decodes {@code pick_first} (A62). */
final class PickFirstDecoder implements PolicyDecoder {
  static final String TYPE = "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst";

  @Override
  public String typeName() {
    return TYPE;
  }

  @Override
  public Optional<BalancingPolicy> decode(
      TypedConfig config, Children children, FieldErrors errors) {
    return config.read(PickFirst.getDefaultInstance(), errors).map(PickFirstDecoder::of);
  }

  private static BalancingPolicy of(PickFirst proto) {
    return new BalancingPolicy.PickFirst(proto.getShuffleAddressList());
  }

  @Override
  public Optional<Custom> custom() {
    return Optional.of(
        new Custom(
            "pick_first",
            config -> config.read(PickFirst.getDefaultInstance()).map(PickFirstDecoder::of)));
  }
}
