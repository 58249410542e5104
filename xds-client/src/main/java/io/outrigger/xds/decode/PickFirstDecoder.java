package io.outrigger.xds.decode;

import io.envoyproxy.envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst;
import io.outrigger.config.cluster.BalancingPolicy;
import java.util.Optional;

/** Decodes {@code pick_first} (A62). */
final class PickFirstDecoder {
  static final String TYPE = "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst";

  static final PolicyDecoder DECODER =
      PolicyDecoder.ofMessage(
          TYPE,
          "pick_first",
          PickFirst::getDefaultInstance,
          (proto, errors) ->
              Optional.of(new BalancingPolicy.PickFirst(proto.getShuffleAddressList())));

  private PickFirstDecoder() {}
}
