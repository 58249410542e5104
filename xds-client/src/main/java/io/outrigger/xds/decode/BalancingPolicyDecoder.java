package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decodes the load balancing policy of a cluster: {@code load_balancing_policy} if it is set, else
 * {@code lb_policy} (A27, A52).
 */
final class BalancingPolicyDecoder {
  /** The maximum depth of nested policies (A52 "xDS LB Policy Registry"). */
  static final int MAX_DEPTH = 16;

  /** The type URL of the policy that is valid only for an aggregate cluster (A75-04). */
  private static final String CLUSTER_PROVIDED =
      "envoy.extensions.load_balancing_policies.cluster_provided.v3.ClusterProvided";

  private static final PolicyDecoderRegistry POLICIES = PolicyDecoderRegistry.ALL;

  private BalancingPolicyDecoder() {}

  /**
   * @param ofAggregate whether the cluster is an aggregate; only then, CLUSTER_PROVIDED is valid
   *     (A75-04)
   */
  static Optional<BalancingPolicy> decode(Cluster proto, boolean ofAggregate, FieldErrors errors) {
    if (proto.hasLoadBalancingPolicy()) {
      FieldErrors here = errors.at("load_balancing_policy");
      return decode(proto.getLoadBalancingPolicy(), ofAggregate, 1, here);
    }
    return ofAggregate && proto.getLbPolicy() == Cluster.LbPolicy.CLUSTER_PROVIDED
        ? Optional.of(ClusterResource.DEFAULT_POLICY)
        : legacy(proto, errors);
  }

  /** Decodes {@code lb_policy} (A52-04). */
  private static Optional<BalancingPolicy> legacy(Cluster proto, FieldErrors errors) {
    Cluster.LbPolicy value = proto.getLbPolicy();
    Optional<PolicyDecoder.Legacy> policy = POLICIES.legacy(value);
    if (policy.isPresent()) {
      return policy.get().decoder().apply(proto, errors);
    }
    if (value == Cluster.LbPolicy.LOAD_BALANCING_POLICY_CONFIG) {
      return errors
          .at("lb_policy")
          .refuse("LOAD_BALANCING_POLICY_CONFIG needs the field load_balancing_policy");
    }
    String name =
        value == Cluster.LbPolicy.UNRECOGNIZED ? "value " + proto.getLbPolicyValue() : value.name();
    String supported = POLICIES.legacyNames() + ", or load_balancing_policy";
    return errors.at("lb_policy").refuse(name + " is not supported; supported: " + supported);
  }

  /** Decodes the first supported policy of the list; this policy must be valid (A52-01, A52-03). */
  private static Optional<BalancingPolicy> decode(
      LoadBalancingPolicy proto, boolean ofAggregate, int depth, FieldErrors errors) {
    if (isTooDeep(depth, errors)) {
      return Optional.empty();
    }
    var skipped = new LinkedHashSet<String>();
    for (int i = 0; i < proto.getPoliciesCount(); i++) {
      Any any = proto.getPolicies(i).getTypedExtensionConfig().getTypedConfig();
      FieldErrors here = errors.at("policies", i).at("typed_extension_config").at("typed_config");
      Optional<TypedConfig> config = TypedConfig.of(any, here);
      if (config.isEmpty()) {
        return Optional.empty(); // the TypedStruct is not readable
      }
      TypedConfig typed = config.get();
      if (typed.struct().isPresent()) {
        Optional<PolicyDecoder.Custom> custom = POLICIES.custom(typed.typeName());
        if (custom.isPresent()) {
          return decode(custom.get(), typed.struct().get(), depth, here.at("value"));
        }
      } else {
        Optional<PolicyDecoder> decoder = POLICIES.ofType(typed.typeName());
        if (decoder.isPresent()) {
          return decoder
              .get()
              .extension()
              .decode(typed, (child, at) -> decode(child, false, depth + 1, at), here);
        }
        if (ofAggregate && typed.typeName().equals(CLUSTER_PROVIDED)) {
          return Optional.of(ClusterResource.DEFAULT_POLICY);
        }
      }
      skipped.add(typed.quotedType());
    }
    return none(skipped, POLICIES.typeNames(), errors.at("policies"));
  }

  private static boolean isTooDeep(int depth, FieldErrors errors) {
    if (depth > MAX_DEPTH) {
      errors.add("policies nested more than " + MAX_DEPTH + " deep");
    }
    return depth > MAX_DEPTH;
  }

  private static Optional<BalancingPolicy> decode(
      PolicyDecoder.Custom custom, Struct config, int depth, FieldErrors errors) {
    return custom
        .decoder()
        .apply(
            new ServiceConfig(
                config, errors, (list, field, at) -> children(list, field, depth + 1, at)));
  }

  /**
   * Decodes the first supported child policy in a service config. Each object in the list of
   * policies has one field: the name of a policy with its configuration.
   */
  private static Optional<BalancingPolicy> children(
      ListValue policies, String field, int depth, FieldErrors errors) {
    if (isTooDeep(depth, errors.at(field))) {
      return Optional.empty();
    }
    var skipped = new LinkedHashSet<String>();
    for (int i = 0; i < policies.getValuesCount(); i++) {
      Map<String, Value> entry = policies.getValues(i).getStructValue().getFieldsMap();
      FieldErrors here = errors.at(field, i);
      if (entry.size() != 1) {
        return here.refuse("is not an object of one field, the name of a policy");
      }
      Map.Entry<String, Value> only = entry.entrySet().iterator().next();
      String name = only.getKey();
      Value config = only.getValue();
      if (!config.hasStructValue()) {
        return here.at(name).refuse("is not an object");
      }
      Optional<PolicyDecoder.Custom> custom = POLICIES.custom(name);
      if (custom.isPresent()) {
        return decode(custom.get(), config.getStructValue(), depth, here.at(name));
      }
      skipped.add(FieldErrors.quoted(name));
    }
    return none(skipped, POLICIES.customNames(), errors.at(field));
  }

  private static Optional<BalancingPolicy> none(
      Set<String> skipped, String supported, FieldErrors errors) {
    String reason =
        skipped.isEmpty() ? "is empty" : "none is supported of " + String.join(", ", skipped);
    return errors.refuse(reason + "; supported: " + supported);
  }
}
