package io.outrigger.xds.decode;

import static java.util.stream.Collectors.joining;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The policies that are supported, by each of their names (A52 "xDS LB Policy Registry"). */
final class PolicyDecoderRegistry {
  /** All, in the order in which errors list them. */
  static final PolicyDecoderRegistry ALL =
      new PolicyDecoderRegistry(
          List.of(
              new WrrLocalityDecoder(),
              new RoundRobinDecoder(),
              new PickFirstDecoder(),
              new RingHashDecoder(),
              new LeastRequestDecoder(),
              new WeightedRoundRobinDecoder(),
              new RandomSubsettingDecoder()));

  private final List<PolicyDecoder> decoders;
  private final Map<String, PolicyDecoder> types;
  private final Map<String, PolicyDecoder.Custom> customs;
  private final Map<Cluster.LbPolicy, PolicyDecoder.Legacy> legacies;

  /**
   * @throws IllegalStateException if two have the same name
   */
  PolicyDecoderRegistry(List<PolicyDecoder> decoders) {
    this.decoders = List.copyOf(decoders);
    types = index(decoders, PolicyDecoder::typeName);
    customs =
        index(
            decoders.stream().flatMap(each -> each.custom().stream()).toList(),
            PolicyDecoder.Custom::name);
    legacies =
        index(
            decoders.stream().flatMap(each -> each.legacy().stream()).toList(),
            PolicyDecoder.Legacy::value);
  }

  private static <K, V> Map<K, V> index(List<V> values, Function<V, K> key) {
    Map<K, V> index = new HashMap<>();
    for (V value : values) {
      if (index.put(key.apply(value), value) != null) {
        throw new IllegalStateException("two policies called " + key.apply(value));
      }
    }
    return Map.copyOf(index);
  }

  /** All of them. */
  List<PolicyDecoder> decoders() {
    return decoders;
  }

  /** The policy whose extension is the message of that full name. */
  Optional<PolicyDecoder> ofType(String typeName) {
    return Optional.ofNullable(types.get(typeName));
  }

  /** The policy of that name in gRPC's registry. */
  Optional<PolicyDecoder.Custom> custom(String name) {
    return Optional.ofNullable(customs.get(name));
  }

  /** What that value of {@code lb_policy} means. */
  Optional<PolicyDecoder.Legacy> legacy(Cluster.LbPolicy value) {
    return Optional.ofNullable(legacies.get(value));
  }

  /** The names of all extensions, for messages. */
  String typeNames() {
    return decoders.stream()
        .map(each -> each.typeName().substring(each.typeName().lastIndexOf('.') + 1))
        .collect(joining(", "));
  }

  /** The names in gRPC's registry, for messages. */
  String customNames() {
    return decoders.stream()
        .flatMap(each -> each.custom().stream())
        .map(PolicyDecoder.Custom::name)
        .collect(joining(", "));
  }

  /** The values of {@code lb_policy} that are supported, for messages. */
  String legacyNames() {
    return decoders.stream()
        .flatMap(each -> each.legacy().stream())
        .map(each -> each.value().name())
        .collect(joining(", "));
  }
}
