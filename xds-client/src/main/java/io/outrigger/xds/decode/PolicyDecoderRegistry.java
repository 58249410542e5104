package io.outrigger.xds.decode;

import static java.util.stream.Collectors.joining;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The decoders of the supported policies, by each name of a policy (A52 "xDS LB Policy Registry").
 */
final class PolicyDecoderRegistry {
  /** All supported policies, in the order in which error messages list them. */
  static final PolicyDecoderRegistry ALL =
      new PolicyDecoderRegistry(
          List.of(
              WrrLocalityDecoder.DECODER,
              RoundRobinDecoder.DECODER,
              PickFirstDecoder.DECODER,
              RingHashDecoder.DECODER,
              LeastRequestDecoder.DECODER,
              WeightedRoundRobinDecoder.DECODER,
              RandomSubsettingDecoder.DECODER));

  private final List<PolicyDecoder> decoders;
  private final Map<String, PolicyDecoder> types;
  private final Map<String, PolicyDecoder.Custom> customs;
  private final Map<Cluster.LbPolicy, PolicyDecoder.Legacy> legacies;

  /**
   * @throws IllegalStateException if two policies have the same name
   */
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

  /** Returns the policy whose extension message has the full type name {@code typeName}. */
  Optional<PolicyDecoder> ofType(String typeName) {
    return Optional.ofNullable(types.get(typeName));
  }

  /** Returns the policy that gRPC's registry has under {@code name}. */
  Optional<PolicyDecoder.Custom> custom(String name) {
    return Optional.ofNullable(customs.get(name));
  }

  Optional<PolicyDecoder.Legacy> legacy(Cluster.LbPolicy value) {
    return Optional.ofNullable(legacies.get(value));
  }

  /** The short names of all extension messages, for error messages. */
  String typeNames() {
    return decoders.stream()
        .map(each -> each.typeName().substring(each.typeName().lastIndexOf('.') + 1))
        .collect(joining(", "));
  }

  /** The names of the policies in gRPC's registry, for error messages. */
  String customNames() {
    return decoders.stream().map(each -> each.custom().name()).collect(joining(", "));
  }

  /** The supported values of {@code lb_policy}, for error messages. */
  String legacyNames() {
    return decoders.stream()
        .flatMap(each -> each.legacy().stream())
        .map(each -> each.value().name())
        .collect(joining(", "));
  }
}
