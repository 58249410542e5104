package io.outrigger.xds.decode;

import static java.util.stream.Collectors.joining;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest;
import io.envoyproxy.envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst;
import io.envoyproxy.envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin;
import io.envoyproxy.envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality;
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

  /** If {@code lb_policy} names this policy, localities are chosen by weight first (A52-04). */
  static final PolicyDecoder LEAST_REQUEST = // A48
      PolicyDecoder.ofMessage(
              "envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest",
              "least_request_experimental",
              LeastRequest::getDefaultInstance,
              (proto, errors) ->
                  leastRequest(proto.hasChoiceCount(), proto.getChoiceCount(), errors))
          .orLegacy(
              Cluster.LbPolicy.LEAST_REQUEST,
              (cluster, errors) ->
                  leastRequest(
                          cluster.getLeastRequestLbConfig().hasChoiceCount(),
                          cluster.getLeastRequestLbConfig().getChoiceCount(),
                          errors.at("least_request_lb_config"))
                      .map(BalancingPolicy.WrrLocality::new));

  /** Chooses localities by weight and applies a child policy in each locality (A52). */
  static final PolicyDecoder WRR_LOCALITY =
      new PolicyDecoder(
          "envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality",
          (config, children, errors) ->
              config
                  .read(WrrLocality.getDefaultInstance(), errors)
                  .flatMap(
                      proto -> wrrLocality(proto, children, errors.at("endpoint_picking_policy"))),
          new PolicyDecoder.Custom(
              "wrr_locality_experimental",
              config -> config.policy("childPolicy").map(PolicyDecoderRegistry::wrrLocality)));

  /** All supported policies, in the order in which error messages list them. */
  static final PolicyDecoderRegistry ALL =
      new PolicyDecoderRegistry(
          List.of(
              WRR_LOCALITY,
              ROUND_ROBIN,
              PICK_FIRST,
              RingHashDecoder.DECODER,
              LEAST_REQUEST,
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

  private static Optional<BalancingPolicy> leastRequest(
      boolean present, UInt32Value choiceCount, FieldErrors errors) {
    long choices =
        present
            ? Integer.toUnsignedLong(choiceCount.getValue())
            : BalancingPolicy.LeastRequest.DEFAULT_CHOICES;
    if (choices < 2) {
      return errors.at("choice_count").refuse("is " + choices + "; must be at least 2");
    }
    return Optional.of(
        new BalancingPolicy.LeastRequest(
            (int) Math.min(choices, BalancingPolicy.LeastRequest.MAX_CHOICES)));
  }

  private static Optional<BalancingPolicy> wrrLocality(
      WrrLocality proto, PolicyDecoder.Children children, FieldErrors here) {
    if (!proto.hasEndpointPickingPolicy()) {
      return here.refuse("is missing");
    }
    return children
        .decode(proto.getEndpointPickingPolicy(), here)
        .map(PolicyDecoderRegistry::wrrLocality);
  }

  /**
   * Returns a policy with {@code child} in each locality. A {@code child} that is also a {@code
   * wrr_locality} is returned unchanged, because the inner policy would have only one locality to
   * choose from.
   */
  private static BalancingPolicy wrrLocality(BalancingPolicy child) {
    return child instanceof BalancingPolicy.WrrLocality
        ? child
        : new BalancingPolicy.WrrLocality(child);
  }
}
