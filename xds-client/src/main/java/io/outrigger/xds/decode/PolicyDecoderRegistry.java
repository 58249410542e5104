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
import java.util.List;
import java.util.Optional;

/** Maps each name of a supported policy to its decoder (A52 "xDS LB Policy Registry"). */
record PolicyDecoderRegistry(List<PolicyDecoder> decoders) {
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

  /** If {@code lb_policy} is LEAST_REQUEST, localities are chosen by weight first (A52-04). */
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

  PolicyDecoderRegistry {
    decoders = List.copyOf(decoders);
  }

  Optional<PolicyDecoder> ofType(String typeName) {
    return decoders.stream().filter(each -> each.typeName().equals(typeName)).findFirst();
  }

  Optional<PolicyDecoder.Custom> custom(String name) {
    return decoders.stream()
        .map(PolicyDecoder::custom)
        .filter(each -> each.name().equals(name))
        .findFirst();
  }

  Optional<PolicyDecoder.Legacy> legacy(Cluster.LbPolicy value) {
    for (PolicyDecoder each : decoders) { // runs for each cluster, so no stream
      if (each.legacy().isPresent() && each.legacy().get().value() == value) {
        return each.legacy();
      }
    }
    return Optional.empty();
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
   * Returns a policy that chooses a locality by weight and applies a child policy in it. A child
   * policy that is itself a {@code wrr_locality} is returned unchanged: inside another {@code
   * wrr_locality}, the child would have only one locality to choose from.
   */
  private static BalancingPolicy wrrLocality(BalancingPolicy child) {
    return child instanceof BalancingPolicy.WrrLocality
        ? child
        : new BalancingPolicy.WrrLocality(child);
  }
}
