package io.outrigger.xds.decode;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Decodes one load balancing policy from each form in which a control plane may configure it (A52).
 * A decode method returns empty if a setting is illegal, and adds the reason to the field errors.
 * {@link PolicyDecoderRegistry} lists all implementations.
 */
interface PolicyDecoder {
  /** The full type name of the extension message of the policy. */
  String typeName();

  /**
   * Decodes the settings in the extension message.
   *
   * @param children decodes the child policies, for a policy that has some
   */
  Optional<BalancingPolicy> decode(TypedConfig config, Children children, FieldErrors errors);

  /** The form in a service config; empty if the policy does not have this form. */
  default Optional<Custom> custom() {
    return Optional.empty();
  }

  /**
   * The form as a value of {@code Cluster.lb_policy} (A52-04); empty if the policy does not have
   * this form.
   */
  default Optional<Legacy> legacy() {
    return Optional.empty();
  }

  @FunctionalInterface
  interface Children {
    Optional<BalancingPolicy> decode(LoadBalancingPolicy proto, FieldErrors errors);
  }

  /**
   * The form of a policy in a service config: its name in gRPC's registry, and a decoder of its
   * configuration. Control planes send both in a TypedStruct.
   */
  record Custom(String name, Function<ServiceConfig, Optional<BalancingPolicy>> decoder) {}

  /**
   * The form of a policy as a value of {@code lb_policy}. The settings are in another field of the
   * cluster.
   */
  record Legacy(
      Cluster.LbPolicy value,
      BiFunction<Cluster, FieldErrors, Optional<BalancingPolicy>> decoder) {}
}
