package io.outrigger.xds.decode;

import static java.util.stream.Collectors.joining;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst;
import io.envoyproxy.envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The decoders of the supported policies, by each name of a policy (A52 "xDS LB Policy Registry").
 */
final class PolicyDecoderRegistry {
  static final PolicyDecoder ROUND_ROBIN =
      new PolicyDecoder(
              "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin",
              (config, children, errors) ->
                  config
                      .read(RoundRobin.getDefaultInstance(), errors)
                      .map(proto -> new BalancingPolicy.RoundRobin()),
              new PolicyDecoder.Custom(
                  "round_robin", config -> Optional.of(new BalancingPolicy.RoundRobin())))
          .orLegacy(
              Cluster.LbPolicy.ROUND_ROBIN,
              (cluster, errors) -> Optional.of(ClusterResource.DEFAULT_POLICY));

  static final PolicyDecoder PICK_FIRST = // A62
      PolicyDecoder.ofMessage(
          "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst",
          "pick_first",
          PickFirst::getDefaultInstance,
          (proto, errors) ->
              Optional.of(new BalancingPolicy.PickFirst(proto.getShuffleAddressList())));

  /** All supported policies, in the order in which error messages list them. */
  static final PolicyDecoderRegistry ALL =
      new PolicyDecoderRegistry(
          List.of(
              WrrLocalityDecoder.DECODER,
              ROUND_ROBIN,
              PICK_FIRST,
              RingHashDecoder.DECODER,
              LeastRequestDecoder.DECODER,
              WeightedRoundRobinDecoder.DECODER,
              RandomSubsettingDecoder.DECODER));

  private final List<PolicyDecoder> decoders;
  private final Map<String, PolicyDecoder> types;
  private final Map<String, PolicyDecoder.Custom> customs;
  private final Map<Cluster.LbPolicy, PolicyDecoder.Legacy> legacies;

  PolicyDecoderRegistry(List<PolicyDecoder> decoders) {
    this.decoders = List.copyOf(decoders);
    types = index(decoders, PolicyDecoder::typeName);
    customs =
        index(decoders.stream().map(PolicyDecoder::custom).toList(), PolicyDecoder.Custom::name);
    legacies =
        index(
            decoders.stream().flatMap(each -> each.legacy().stream()).toList(),
            PolicyDecoder.Legacy::value);
  }

  /**
   * @throws IllegalStateException if two values have the same key
   */
  static <K, V> Map<K, V> index(List<V> values, Function<V, K> key) {
    Map<K, V> index = new HashMap<>();
    for (V value : values) {
      if (index.put(key.apply(value), value) != null) {
        throw new IllegalStateException("two decoders of " + key.apply(value));
      }
    }
    return Map.copyOf(index);
  }

  List<PolicyDecoder> decoders() {
    return decoders;
  }

  Optional<PolicyDecoder> ofType(String typeName) {
    return Optional.ofNullable(types.get(typeName));
  }

  Optional<PolicyDecoder.Custom> custom(String name) {
    return Optional.ofNullable(customs.get(name));
  }

  Optional<PolicyDecoder.Legacy> legacy(Cluster.LbPolicy value) {
    return Optional.ofNullable(legacies.get(value));
  }

  String typeNames() {
    return decoders.stream()
        .map(each -> each.typeName().substring(each.typeName().lastIndexOf('.') + 1))
        .collect(joining(", "));
  }

  String customNames() {
    return decoders.stream().map(each -> each.custom().name()).collect(joining(", "));
  }

  String legacyNames() {
    return decoders.stream()
        .flatMap(each -> each.legacy().stream())
        .map(each -> each.value().name())
        .collect(joining(", "));
  }
}
