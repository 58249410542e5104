package io.outrigger.xds.decode;

import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Decodes the configuration of one load balancing policy in any of its forms (A52). A decoder
 * returns empty if a setting is illegal, and adds the reason to the field errors.
 *
 * @param typeName the full type name of the extension message of the policy
 */
record PolicyDecoder(String typeName, Extension extension, Custom custom, Optional<Legacy> legacy) {
  @FunctionalInterface
  interface Extension {
    /**
     * @param children the decoder of child policies, for policies with children
     */
    Optional<BalancingPolicy> decode(TypedConfig config, Children children, FieldErrors errors);
  }

  @FunctionalInterface
  interface Children {
    Optional<BalancingPolicy> decode(LoadBalancingPolicy proto, FieldErrors errors);
  }

  /** A policy in the form of gRPC's service config, which control planes send in a TypedStruct. */
  record Custom(String name, Function<ServiceConfig, Optional<BalancingPolicy>> decoder) {}

  /** A policy chosen by {@code lb_policy} (A52-04), with settings in another cluster field. */
  record Legacy(
      Cluster.LbPolicy value,
      BiFunction<Cluster, FieldErrors, Optional<BalancingPolicy>> decoder) {}

  PolicyDecoder(String typeName, Extension extension, Custom custom) {
    this(typeName, extension, custom, Optional.empty());
  }

  /**
   * Returns a decoder for a policy whose JSON config has the same fields as its proto message.
   *
   * @param message a function for the default message, whose class is loaded at the first use
   */
  static <M extends Message> PolicyDecoder ofMessage(
      String typeName,
      String customName,
      Supplier<M> message,
      BiFunction<M, FieldErrors, Optional<BalancingPolicy>> decoder) {
    return new PolicyDecoder(
        typeName,
        (config, children, errors) ->
            config.read(message.get(), errors).flatMap(proto -> decoder.apply(proto, errors)),
        new Custom(
            customName,
            config ->
                config
                    .read(message.get())
                    .flatMap(proto -> decoder.apply(proto, config.errors()))));
  }

  PolicyDecoder orLegacy(
      Cluster.LbPolicy value, BiFunction<Cluster, FieldErrors, Optional<BalancingPolicy>> decoder) {
    return new PolicyDecoder(typeName, extension, custom, Optional.of(new Legacy(value, decoder)));
  }
}
