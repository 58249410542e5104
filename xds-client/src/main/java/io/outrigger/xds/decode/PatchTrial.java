package io.outrigger.xds.decode;

import com.google.protobuf.Message;
import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.EdsClusterConfig;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.SelfConfigSource;
import io.envoyproxy.envoy.config.route.v3.RetryPolicy;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.config.overlay.OverlayRule.Mode;
import io.outrigger.xds.overlay.Merge;
import io.outrigger.xds.overlay.Patch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Checks whether the values of a patch are valid by themselves. The patch is applied to a minimal
 * cluster or route, and to a permissive cluster or route whose own values allow the widest range of
 * values in the patch. The patch is valid if one of the two results is valid.
 */
@AnyThread
final class PatchTrial {
  private static final DecodeContext CONTEXT = new DecodeContext(ServerFeatures.NONE, Map.of());
  private static final OverlayRule RULE = new OverlayRule("trial", "", 1, Mode.OVERRIDE);

  private static final Cluster CLUSTER =
      Cluster.newBuilder()
          .setName("trial")
          .setType(Cluster.DiscoveryType.EDS)
          .setEdsClusterConfig(
              EdsClusterConfig.newBuilder()
                  .setEdsConfig(
                      ConfigSource.newBuilder().setSelf(SelfConfigSource.getDefaultInstance())))
          .build();

  private static final Cluster PERMISSIVE_CLUSTER =
      CLUSTER.toBuilder()
          .setRingHashLbConfig(
              Cluster.RingHashLbConfig.newBuilder().setMinimumRingSize(UInt64Value.of(1)))
          .build();

  private static final RouteAction ROUTE = RouteAction.newBuilder().setCluster("trial").build();

  private static final RouteAction PERMISSIVE_ROUTE =
      ROUTE.toBuilder()
          .setRetryPolicy(
              RetryPolicy.newBuilder()
                  .setRetryBackOff(
                      RetryPolicy.RetryBackOff.newBuilder()
                          .setBaseInterval(
                              com.google.protobuf.Duration.newBuilder().setNanos(1_000_000))))
          .build();

  private PatchTrial() {}

  static List<FieldError> ofCluster(Patch patch) {
    return errors(List.of(CLUSTER, PERMISSIVE_CLUSTER), patch, PatchTrial::decodeCluster);
  }

  static List<FieldError> ofRoute(Patch patch) {
    return errors(List.of(ROUTE, PERMISSIVE_ROUTE), patch, PatchTrial::decodeRoute);
  }

  private static Optional<?> decodeCluster(Message message, FieldErrors errors) {
    return ClusterDecoder.decode((Cluster) message, message.toByteString(), CONTEXT, errors);
  }

  private static Optional<?> decodeRoute(Message message, FieldErrors errors) {
    var scope = new RouteDecoder.Scope(CONTEXT, false, Set.of(), List.of());
    return RouteActionDecoder.decode((RouteAction) message, Optional.empty(), scope, errors);
  }

  /** Returns no errors if one of the tries has none, else the errors of the first try. */
  private static List<FieldError> errors(
      List<Message> bases, Patch patch, BiFunction<Message, FieldErrors, Optional<?>> decoder) {
    List<List<FieldError>> tries = new ArrayList<>();
    for (Message base : bases) {
      var merge = new Merge(base);
      merge.lay(RULE, patch);
      FieldErrors errors = FieldErrors.ofResource();
      var unused = decoder.apply(merge.message(), errors);
      tries.add(errors.all());
    }
    return tries.stream().filter(List::isEmpty).findFirst().orElse(tries.get(0));
  }
}
