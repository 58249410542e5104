package io.outrigger.xds.decode;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import java.util.Optional;

/** Decodes {@code round_robin}, which has no settings. */
final class RoundRobinDecoder {
  static final String TYPE = "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin";

  static final PolicyDecoder DECODER =
      new PolicyDecoder(
              TYPE,
              (config, children, errors) ->
                  config
                      .read(RoundRobin.getDefaultInstance(), errors)
                      .map(proto -> new BalancingPolicy.RoundRobin()),
              new PolicyDecoder.Custom(
                  "round_robin", config -> Optional.of(new BalancingPolicy.RoundRobin())))
          .orLegacy(
              Cluster.LbPolicy.ROUND_ROBIN,
              (cluster, errors) -> Optional.of(ClusterResource.DEFAULT_POLICY));

  private RoundRobinDecoder() {}
}
