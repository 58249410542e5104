package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;
import io.envoyproxy.envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin;
import io.envoyproxy.envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest;
import io.envoyproxy.envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst;
import io.envoyproxy.envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash;
import io.envoyproxy.envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin;
import io.envoyproxy.envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality;
import io.outrigger.config.cluster.BalancingPolicy;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.stream.Collectors;

/** The policy of a cluster: {@code load_balancing_policy}, else {@code lb_policy} (A27, A52). */
final class BalancingPolicyDecoder {
  /** A52 "xDS LB Policy Registry": deeper configurations are invalid. */
  static final int DEEPEST = 16;

  private static final String PACKAGE = "envoy.extensions.load_balancing_policies.";
  static final String WRR_LOCALITY = PACKAGE + "wrr_locality.v3.WrrLocality";
  static final String ROUND_ROBIN = PACKAGE + "round_robin.v3.RoundRobin";
  static final String PICK_FIRST = PACKAGE + "pick_first.v3.PickFirst";
  static final String RING_HASH = PACKAGE + "ring_hash.v3.RingHash";
  static final String LEAST_REQUEST = PACKAGE + "least_request.v3.LeastRequest";
  static final String WEIGHTED_ROUND_ROBIN =
      PACKAGE + "client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin";

  /** Of no use to a cluster with endpoints: an aggregate may name it all the same (A75-04). */
  private static final String CLUSTER_PROVIDED = PACKAGE + "cluster_provided.v3.ClusterProvided";

  private static final String SUPPORTED =
      "; supported: WrrLocality, RoundRobin, PickFirst, RingHash, LeastRequest,"
          + " ClientSideWeightedRoundRobin";

  private BalancingPolicyDecoder() {}

  /** The policy of a cluster with endpoints; empty with the reason in {@code errors}. */
  static Optional<BalancingPolicy> decode(Cluster proto, FieldErrors errors) {
    if (proto.hasLoadBalancingPolicy()) {
      return decode(proto.getLoadBalancingPolicy(), false, 1, errors.at("load_balancing_policy"));
    }
    return legacy(proto, errors);
  }

  /**
   * An aggregate balances as its leaves do: its {@code lb_policy} is ignored, whatever it says
   * (A75-03), and its {@code load_balancing_policy} only has to name a policy that exists (A75-04).
   * Decision 0012.
   */
  static Optional<BalancingPolicy> ofAggregate(Cluster proto, FieldErrors errors) {
    if (proto.hasLoadBalancingPolicy()) {
      return decode(proto.getLoadBalancingPolicy(), true, 1, errors.at("load_balancing_policy"));
    }
    FieldErrors ignored = FieldErrors.ofResource();
    Optional<BalancingPolicy> policy = legacy(proto, ignored);
    return ignored.isEmpty() ? policy : Optional.of(BalancingPolicy.DEFAULT);
  }

  /** A52-04: what the enumeration means in terms of policies. */
  private static Optional<BalancingPolicy> legacy(Cluster proto, FieldErrors errors) {
    switch (proto.getLbPolicy()) {
      case ROUND_ROBIN -> {
        return Optional.of(BalancingPolicy.DEFAULT);
      }
      case RING_HASH -> {
        return PolicySettingsDecoder.ringHash(
            proto.getRingHashLbConfig(), errors.at("ring_hash_lb_config"));
      }
      case LEAST_REQUEST -> {
        return PolicySettingsDecoder.leastRequest(
                proto.getLeastRequestLbConfig().hasChoiceCount(),
                proto.getLeastRequestLbConfig().getChoiceCount(),
                errors.at("least_request_lb_config"))
            .map(BalancingPolicy.WrrLocality::new);
      }
      case LOAD_BALANCING_POLICY_CONFIG -> {
        errors
            .at("lb_policy")
            .add("LOAD_BALANCING_POLICY_CONFIG needs the field load_balancing_policy");
        return Optional.empty();
      }
      default -> {
        String name =
            proto.getLbPolicy() == Cluster.LbPolicy.UNRECOGNIZED
                ? "value " + proto.getLbPolicyValue()
                : proto.getLbPolicy().name();
        errors
            .at("lb_policy")
            .add(
                name
                    + " is not supported; supported: ROUND_ROBIN, RING_HASH, LEAST_REQUEST,"
                    + " or load_balancing_policy");
        return Optional.empty();
      }
    }
  }

  /** The first supported entry decides, and must be valid (A52-01, A52-03). */
  private static Optional<BalancingPolicy> decode(
      LoadBalancingPolicy proto, boolean ofAggregate, int depth, FieldErrors errors) {
    if (depth > DEEPEST) {
      errors.add("policies nested more than " + DEEPEST + " deep");
      return Optional.empty();
    }
    var skipped = new LinkedHashSet<String>();
    for (int i = 0; i < proto.getPoliciesCount(); i++) {
      Any any = proto.getPolicies(i).getTypedExtensionConfig().getTypedConfig();
      FieldErrors here = errors.at("policies", i).at("typed_extension_config").at("typed_config");
      Optional<TypedConfig> config = TypedConfig.of(any, here);
      if (config.isEmpty()) {
        return Optional.empty(); // an unreadable TypedStruct
      }
      TypedConfig typed = config.get();
      if (typed.struct().isPresent()) {
        if (CustomPolicyDecoder.isSupported(typed.typeName())) {
          return CustomPolicyDecoder.decode(typed.typeName(), typed.struct().get(), here);
        }
      } else if (isSupported(typed.typeName())) {
        return decode(typed, depth, here);
      } else if (ofAggregate && typed.typeName().equals(CLUSTER_PROVIDED)) {
        return Optional.of(BalancingPolicy.DEFAULT);
      }
      skipped.add(typed.quotedType());
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

  private static boolean isSupported(String type) {
    return switch (type) {
      case WRR_LOCALITY, ROUND_ROBIN, PICK_FIRST, RING_HASH, LEAST_REQUEST, WEIGHTED_ROUND_ROBIN ->
          true;
      default -> false;
    };
  }

  private static Optional<BalancingPolicy> decode(TypedConfig typed, int depth, FieldErrors here) {
    return switch (typed.typeName()) {
      case WRR_LOCALITY ->
          typed
              .read(WrrLocality.getDefaultInstance(), here)
              .flatMap(config -> wrrLocality(config, depth, here));
      case ROUND_ROBIN ->
          typed
              .read(RoundRobin.getDefaultInstance(), here)
              .map(config -> new BalancingPolicy.RoundRobin());
      case PICK_FIRST ->
          typed
              .read(PickFirst.getDefaultInstance(), here)
              .map(config -> new BalancingPolicy.PickFirst(config.getShuffleAddressList()));
      case RING_HASH ->
          typed
              .read(RingHash.getDefaultInstance(), here)
              .flatMap(config -> PolicySettingsDecoder.ringHash(config, here));
      case LEAST_REQUEST ->
          typed
              .read(LeastRequest.getDefaultInstance(), here)
              .flatMap(
                  config ->
                      PolicySettingsDecoder.leastRequest(
                          config.hasChoiceCount(), config.getChoiceCount(), here));
      case WEIGHTED_ROUND_ROBIN ->
          typed
              .read(ClientSideWeightedRoundRobin.getDefaultInstance(), here)
              .flatMap(config -> PolicySettingsDecoder.weightedRoundRobin(config, here));
      default -> throw new AssertionError(typed.typeName());
    };
  }

  private static Optional<BalancingPolicy> wrrLocality(
      WrrLocality proto, int depth, FieldErrors errors) {
    FieldErrors here = errors.at("endpoint_picking_policy");
    if (!proto.hasEndpointPickingPolicy()) {
      here.add("is missing");
      return Optional.empty();
    }
    return decode(proto.getEndpointPickingPolicy(), false, depth + 1, here)
        .map(
            child ->
                // Within one locality there is nothing left to weigh.
                child instanceof BalancingPolicy.WrrLocality
                    ? child
                    : new BalancingPolicy.WrrLocality(child));
  }
}
