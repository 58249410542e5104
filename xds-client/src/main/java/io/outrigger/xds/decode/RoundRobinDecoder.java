package io.outrigger.xds.decode;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import java.util.Optional;

/** Decodes {@code round_robin}, which has no settings. */
final class RoundRobinDecoder implements PolicyDecoder {
  static final String TYPE = "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin";

  @Override
  public String typeName() {
    return TYPE;
  }

  @Override
  public Optional<BalancingPolicy> decode(
      TypedConfig config, Children children, FieldErrors errors) {
    return config
        .read(RoundRobin.getDefaultInstance(), errors)
        .map(proto -> new BalancingPolicy.RoundRobin());
  }

  @Override
  public Optional<Custom> custom() {
    return Optional.of(
        new Custom("round_robin", config -> Optional.of(new BalancingPolicy.RoundRobin())));
  }

  @Override
  public Optional<Legacy> legacy() {
    return Optional.of(
        new Legacy(
            Cluster.LbPolicy.ROUND_ROBIN,
            (cluster, errors) -> Optional.of(ClusterResource.DEFAULT_POLICY)));
  }
}
