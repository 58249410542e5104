package io.outrigger.xds.decode;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * All forms in which a control plane may name one policy and give its settings (A52). Each returns
 * empty when a setting is illegal, which is then in the field errors. Listed in {@link
 * PolicyDecoderRegistry}.
 */
interface PolicyDecoder {
  /** The full name of the message that is the extension. */
  String typeName();

  /**
   * The settings in that message.
   *
   * @param children decodes the policies beneath, of a policy that has some
   */
  Optional<BalancingPolicy> decode(TypedConfig config, Children children, FieldErrors errors);

  /** The form of a service config; empty for a policy that has none. */
  default Optional<Custom> custom() {
    return Optional.empty();
  }

  /** The form of {@code Cluster.lb_policy} (A52-04); empty for a policy that has none. */
  default Optional<Legacy> legacy() {
    return Optional.empty();
  }

  /** Decodes a list of policies within a policy. */
  @FunctionalInterface
  interface Children {
    Optional<BalancingPolicy> decode(LoadBalancingPolicy proto, FieldErrors errors);
  }

  /**
   * A policy by the name that gRPC's registry knows it by, with its configuration in the form of a
   * service config; control planes put both into a TypedStruct.
   */
  record Custom(String name, Function<ServiceConfig, Optional<BalancingPolicy>> decoder) {}

  /** A value of {@code lb_policy}; its settings are in a field of the cluster. */
  record Legacy(
      Cluster.LbPolicy value,
      BiFunction<Cluster, FieldErrors, Optional<BalancingPolicy>> decoder) {}
}
