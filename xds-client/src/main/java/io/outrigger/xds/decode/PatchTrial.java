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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks whether the values of a patch are valid by themselves: applies the patch to a cluster or
 * route whose own values allow the widest range of values in the patch.
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
          .setRingHashLbConfig(
              Cluster.RingHashLbConfig.newBuilder().setMinimumRingSize(UInt64Value.of(1)))
          .build();

  private static final RouteAction ROUTE =
      RouteAction.newBuilder()
          .setCluster("trial")
          .setRetryPolicy(
              RetryPolicy.newBuilder()
                  .setRetryBackOff(
                      RetryPolicy.RetryBackOff.newBuilder()
                          .setBaseInterval(
                              com.google.protobuf.Duration.newBuilder().setNanos(1_000_000))))
          .build();

  private PatchTrial() {}

  static List<FieldError> ofCluster(Patch patch) {
    FieldErrors errors = FieldErrors.ofResource();
    var cluster = (Cluster) patched(CLUSTER, patch);
    var unused = ClusterDecoder.decode(cluster, cluster.toByteString(), CONTEXT, errors);
    return errors.all();
  }

  static List<FieldError> ofRoute(Patch patch) {
    FieldErrors errors = FieldErrors.ofResource();
    var scope = new RouteDecoder.Scope(CONTEXT, false, Set.of(), List.of());
    var route = (RouteAction) patched(ROUTE, patch);
    var unused = RouteActionDecoder.decode(route, Optional.empty(), scope, errors);
    return errors.all();
  }

  private static Message patched(Message base, Patch patch) {
    var merge = new Merge(base);
    merge.lay(RULE, patch);
    return merge.message();
  }
}
