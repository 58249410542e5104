package io.outrigger.xds.overlay;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.LbPolicy;
import io.outrigger.config.overlay.OverlayEffect.Value;
import io.outrigger.config.overlay.OverlayRule.Mode;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Prevents rules from setting the load balancing policy of a cluster in both of its two forms:
 * {@code lb_policy} with the configuration of this policy, and {@code load_balancing_policy}. If a
 * cluster has both forms, gRPC uses {@code load_balancing_policy} (A52).
 */
final class PolicyChoice {
  private static final FieldDescriptor GENERIC = field(Cluster.LOAD_BALANCING_POLICY_FIELD_NUMBER);
  private static final FieldDescriptor LEGACY = field(Cluster.LB_POLICY_FIELD_NUMBER);

  private static final OneofDescriptor CONFIGURATION =
      field(Cluster.RING_HASH_LB_CONFIG_FIELD_NUMBER).getContainingOneof();

  private static final Map<LbPolicy, FieldDescriptor> CONFIGURATIONS =
      Map.of(
          LbPolicy.RING_HASH, field(Cluster.RING_HASH_LB_CONFIG_FIELD_NUMBER),
          LbPolicy.LEAST_REQUEST, field(Cluster.LEAST_REQUEST_LB_CONFIG_FIELD_NUMBER),
          LbPolicy.ROUND_ROBIN, field(Cluster.ROUND_ROBIN_LB_CONFIG_FIELD_NUMBER),
          LbPolicy.MAGLEV, field(Cluster.MAGLEV_LB_CONFIG_FIELD_NUMBER));

  private PolicyChoice() {}

  /**
   * Whether a rule may set a field of a cluster. A rule may not set {@code lb_policy} or its
   * configuration if {@code load_balancing_policy} is set, and vice versa. In override mode, a
   * field counts as set only if an earlier rule has set it.
   */
  static boolean allows(
      Message.Builder message, Set<String> setPaths, Mode mode, FieldDescriptor field) {
    if (!(message instanceof Cluster.Builder)) {
      return true;
    }
    boolean overrides = mode == Mode.OVERRIDE;
    if (field.equals(GENERIC)) {
      return overrides
          ? setPaths.stream().noneMatch(path -> isOf(path, LEGACY))
          : !message.hasField(LEGACY) && !message.hasOneof(CONFIGURATION);
    }
    if (field.equals(LEGACY) || isConfiguration(field)) {
      return overrides
          ? setPaths.stream().noneMatch(path -> isOf(path, GENERIC))
          : !message.hasField(GENERIC);
    }
    return true;
  }

  /**
   * After an override has set {@code lb_policy} or {@code load_balancing_policy}, clears the other
   * field. Also clears the configuration of a policy that is no longer chosen.
   */
  static void clearOthers(Message.Builder message, Set<String> setPaths, List<Value> setByRule) {
    if (!(message instanceof Cluster.Builder cluster)) {
      return;
    }
    if (contains(setByRule, GENERIC)) {
      cluster.clearField(LEGACY).clearOneof(CONFIGURATION);
    } else if (contains(setByRule, LEGACY)) {
      cluster.clearField(GENERIC);
      FieldDescriptor present = cluster.getOneofFieldDescriptor(CONFIGURATION);
      boolean isOthers =
          present != null && !present.equals(CONFIGURATIONS.get(cluster.getLbPolicy()));
      if (isOthers && setPaths.stream().noneMatch(path -> isOf(path, present))) {
        cluster.clearOneof(CONFIGURATION);
      }
    }
  }

  private static boolean contains(List<Value> values, FieldDescriptor field) {
    return values.stream().anyMatch(value -> isOf(value.field(), field));
  }

  private static boolean isOf(String path, FieldDescriptor field) {
    return path.equals(field.getName()) || path.startsWith(field.getName() + ".");
  }

  private static boolean isConfiguration(FieldDescriptor field) {
    return CONFIGURATION.equals(field.getRealContainingOneof());
  }

  private static FieldDescriptor field(int number) {
    return Cluster.getDescriptor().findFieldByNumber(number);
  }
}
