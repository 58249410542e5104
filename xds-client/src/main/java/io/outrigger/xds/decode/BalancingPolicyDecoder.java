package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;
import io.envoyproxy.envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst;
import io.envoyproxy.envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin;
import io.envoyproxy.envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality;
import io.outrigger.config.cluster.BalancingPolicy;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The policy of a cluster: {@code load_balancing_policy}, else {@code lb_policy} (A27, A52). */
final class BalancingPolicyDecoder {
  /** A52 "xDS LB Policy Registry": deeper configurations are invalid. */
  static final int DEEPEST = 16;

  private static final String PACKAGE = "envoy.extensions.load_balancing_policies.";
  static final String WRR_LOCALITY = PACKAGE + "wrr_locality.v3.WrrLocality";
  static final String ROUND_ROBIN = PACKAGE + "round_robin.v3.RoundRobin";
  static final String PICK_FIRST = PACKAGE + "pick_first.v3.PickFirst";

  /** Known, but of no use to a cluster with endpoints: an aggregate may name them all the same. */
  private static final Set<String> KNOWN_TO_AGGREGATES =
      Set.of(
          PACKAGE + "ring_hash.v3.RingHash",
          PACKAGE + "least_request.v3.LeastRequest",
          PACKAGE + "client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin",
          PACKAGE + "cluster_provided.v3.ClusterProvided");

  private static final String SUPPORTED = "; supported: WrrLocality, RoundRobin, PickFirst";

  private BalancingPolicyDecoder() {}

  /** The policy of a cluster with endpoints; empty with the reason in {@code errors}. */
  static Optional<BalancingPolicy> decode(Cluster proto, FieldErrors errors) {
    if (proto.hasLoadBalancingPolicy()) {
      return decode(
          proto.getLoadBalancingPolicy(), Set.of(), 1, errors.at("load_balancing_policy"));
    }
    if (proto.getLbPolicy() == Cluster.LbPolicy.ROUND_ROBIN) {
      return Optional.of(BalancingPolicy.DEFAULT); // A52-04
    }
    refuse(proto, errors.at("lb_policy"));
    return Optional.empty();
  }

  /**
   * An aggregate balances as its leaves do, so that its own policy only has to be one that exists
   * (A75-03, A75-04).
   */
  static Optional<BalancingPolicy> ofAggregate(Cluster proto, FieldErrors errors) {
    if (proto.hasLoadBalancingPolicy()) {
      return decode(
          proto.getLoadBalancingPolicy(),
          KNOWN_TO_AGGREGATES,
          1,
          errors.at("load_balancing_policy"));
    }
    switch (proto.getLbPolicy()) {
      case ROUND_ROBIN, LEAST_REQUEST, RING_HASH, CLUSTER_PROVIDED -> {
        return Optional.of(BalancingPolicy.DEFAULT);
      }
      default -> {
        refuse(proto, errors.at("lb_policy"));
        return Optional.empty();
      }
    }
  }

  private static void refuse(Cluster proto, FieldErrors errors) {
    if (proto.getLbPolicy() == Cluster.LbPolicy.LOAD_BALANCING_POLICY_CONFIG) {
      errors.add("LOAD_BALANCING_POLICY_CONFIG needs the field load_balancing_policy");
    } else {
      String name =
          proto.getLbPolicy() == Cluster.LbPolicy.UNRECOGNIZED
              ? "value " + proto.getLbPolicyValue()
              : proto.getLbPolicy().name();
      errors.add(name + " is not supported; supported: ROUND_ROBIN, or load_balancing_policy");
    }
  }

  /** The first supported entry decides, and must be valid (A52-01, A52-03). */
  private static Optional<BalancingPolicy> decode(
      LoadBalancingPolicy proto, Set<String> alsoAccepted, int depth, FieldErrors errors) {
    if (depth > DEEPEST) {
      errors.add("policies nested more than " + DEEPEST + " deep");
      return Optional.empty();
    }
    var skipped = new LinkedHashSet<String>();
    for (int i = 0; i < proto.getPoliciesCount(); i++) {
      Any any = proto.getPolicies(i).getTypedExtensionConfig().getTypedConfig();
      FieldErrors here = errors.at("policies", i).at("typed_extension_config").at("typed_config");
      String type = TypedConfig.typeName(any.getTypeUrl());
      switch (type) {
        case WRR_LOCALITY -> {
          return TypedConfig.read(any, WrrLocality.getDefaultInstance(), here)
              .flatMap(config -> wrrLocality(config, depth, here));
        }
        case ROUND_ROBIN -> {
          return TypedConfig.read(any, RoundRobin.getDefaultInstance(), here)
              .map(config -> new BalancingPolicy.RoundRobin());
        }
        case PICK_FIRST -> {
          return TypedConfig.read(any, PickFirst.getDefaultInstance(), here)
              .map(config -> new BalancingPolicy.PickFirst(config.getShuffleAddressList()));
        }
        default -> {
          if (alsoAccepted.contains(type)) {
            return Optional.of(BalancingPolicy.DEFAULT);
          }
          skipped.add(describe(any));
        }
      }
    }
    errors
        .at("policies")
        .add(
            skipped.isEmpty()
                ? "is empty" + SUPPORTED
                : "none is supported of "
                    + skipped.stream().collect(Collectors.joining(", "))
                    + SUPPORTED);
    return Optional.empty();
  }

  private static Optional<BalancingPolicy> wrrLocality(
      WrrLocality proto, int depth, FieldErrors errors) {
    FieldErrors here = errors.at("endpoint_picking_policy");
    if (!proto.hasEndpointPickingPolicy()) {
      here.add("is missing");
      return Optional.empty();
    }
    return decode(proto.getEndpointPickingPolicy(), Set.of(), depth + 1, here)
        .map(
            child ->
                // Within one locality there is nothing left to weigh.
                child instanceof BalancingPolicy.WrrLocality
                    ? child
                    : new BalancingPolicy.WrrLocality(child));
  }

  /** A TypedStruct names a custom policy (A52), of which there are none: by that name then. */
  private static String describe(Any any) {
    return TypedConfig.of(any, FieldErrors.ofResource())
        .map(TypedConfig::quotedType)
        .orElseGet(() -> quoted(TypedConfig.typeName(any.getTypeUrl())));
  }
}
