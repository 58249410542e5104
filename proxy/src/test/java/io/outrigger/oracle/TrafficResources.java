package io.outrigger.oracle;

import com.github.xds.type.v3.TypedStruct;
import com.google.protobuf.Any;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.route.v3.ClusterSpecifierPlugin;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.CommonTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.outrigger.oracle.TrafficStory.Step;
import io.outrigger.oracle.TrafficStory.Tls;
import io.outrigger.oracle.TrafficStory.Way;
import io.outrigger.program.testing.mesh.MeshResources;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The resources of a story about traffic. */
final class TrafficResources {
  private TrafficResources() {}

  static String path(String cluster) {
    return "/pkg.Svc/" + cluster;
  }

  static RouteConfiguration routes(Step.Routes step) {
    List<Route> routes = new ArrayList<>();
    route("a", step.toA(), routes);
    route("b", step.toB(), routes);
    var table =
        MeshResources.routes(List.of(MeshResources.host(TrafficClient.TARGET, routes))).toBuilder();
    for (Way way : List.of(step.toA(), step.toB())) {
      boolean isOptional = way == Way.OPTIONAL_PLUGIN || way == Way.BEHIND_OPTIONAL_PLUGIN;
      if (isOptional || way == Way.UNKNOWN_PLUGIN) {
        table.addClusterSpecifierPlugins(plugin(way.name(), isOptional));
      }
    }
    return table.build();
  }

  private static void route(String cluster, Way way, List<Route> routes) {
    if (way != Way.PLAIN && way != Way.NONE) {
      var action = RouteAction.newBuilder().setClusterSpecifierPlugin(way.name());
      routes.add(MeshResources.route(MeshResources.path(path(cluster)), action));
    }
    if (way.leads()) {
      routes.add(MeshResources.route(MeshResources.path(path(cluster)), cluster));
    }
  }

  private static ClusterSpecifierPlugin plugin(String name, boolean isOptional) {
    var plugin = ClusterSpecifierPlugin.newBuilder().setIsOptional(isOptional);
    plugin
        .getExtensionBuilder()
        .setName(name)
        .setTypedConfig(Any.newBuilder().setTypeUrl("type.googleapis.com/pkg.Plugin"));
    return plugin.build();
  }

  /** The EDS services that a cluster may have. */
  static List<String> services(String cluster) {
    return List.of(cluster, cluster + "-renamed");
  }

  private static String service(String name, TrafficStory.Cluster cluster) {
    return services(name).get(cluster.renamed() ? 1 : 0);
  }

  static Cluster cluster(String name, TrafficStory.Cluster cluster) {
    var proto = MeshResources.cluster(name).toBuilder();
    proto.getEdsClusterConfigBuilder().setServiceName(service(name, cluster));
    if (cluster.subset() > 0) {
      proto
          .getLoadBalancingPolicyBuilder()
          .addPoliciesBuilder()
          .getTypedExtensionConfigBuilder()
          .setName("subset")
          .setTypedConfig(Any.pack(subset(cluster.subset())));
    }
    if (cluster.tls() != Tls.NONE) {
      proto
          .getTransportSocketBuilder()
          .setName("envoy.transport_sockets.tls")
          .setTypedConfig(Any.pack(tls(cluster.tls())));
    }
    return proto.build();
  }

  /** As service configs write it: the only form that gRPC reads (A68). */
  private static TypedStruct subset(int size) {
    Value roundRobin =
        Value.newBuilder()
            .setStructValue(
                Struct.newBuilder()
                    .putFields(
                        "round_robin",
                        Value.newBuilder().setStructValue(Struct.getDefaultInstance()).build()))
            .build();
    return TypedStruct.newBuilder()
        .setTypeUrl("type.googleapis.com/random_subsetting_experimental")
        .setValue(
            Struct.newBuilder()
                .putFields("subsetSize", Value.newBuilder().setNumberValue(size).build())
                .putFields(
                    "childPolicy",
                    Value.newBuilder()
                        .setListValue(ListValue.newBuilder().addValues(roundRobin))
                        .build()))
        .build();
  }

  private static UpstreamTlsContext tls(Tls tls) {
    var common = CommonTlsContext.newBuilder();
    if (tls != Tls.NO_ROOTS) {
      common
          .getValidationContextBuilder()
          .getCaCertificateProviderInstanceBuilder()
          .setInstanceName(tls == Tls.ROOTS ? "mesh" : "lost");
    }
    return UpstreamTlsContext.newBuilder().setCommonTlsContext(common).build();
  }

  static ClusterLoadAssignment endpoints(String name, TrafficStory.Cluster cluster) {
    return MeshResources.assignment(
        service(name, cluster),
        IntStream.range(0, cluster.priorities().size())
            .mapToObj(
                priority ->
                    MeshResources.locality(
                        "z" + priority,
                        priority,
                        1,
                        cluster.priorities().get(priority).stream().mapToInt(i -> i).toArray()))
            .toArray(LocalityLbEndpoints[]::new));
  }
}
