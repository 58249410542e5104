package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.xds.ResourceType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The resources of {@code dns:///} targets, in the form that a control plane would send (decision
 * proxy-0041): a {@link DirectListener} and a cluster of type STRICT_DNS, both with the name of the
 * target.
 */
public final class DnsResources {
  /**
   * The server entry that status views show for {@code dns:///} targets. This process itself
   * provides the resources.
   */
  public static final XdsServer SERVER =
      new XdsServer(
          "dns", new XdsServer.ChannelCredentials.Insecure(), List.of(), ServerFeatures.NONE);

  private DnsResources() {}

  public static LocalAdsTransport of(ControlLoop loop, List<ClusterSource.StrictDns> names) {
    Map<String, Any> listeners = new HashMap<>();
    Map<String, Any> clusters = new HashMap<>();
    for (ClusterSource.StrictDns name : names) {
      String target = target(name);
      listeners.put(target, Any.pack(DirectListener.to(target)));
      clusters.put(target, Any.pack(cluster(target, name)));
    }
    var transport = new LocalAdsTransport(loop, SERVER.uri());
    transport.publish(
        ResourceSnapshot.of(
            Map.of(ResourceType.LISTENER, listeners, ResourceType.CLUSTER, clusters)));
    return transport;
  }

  /** Returns the target {@code dns:///host:port}, which is also the name of its resources. */
  public static String target(ClusterSource.StrictDns name) {
    return "dns:///" + name.authority();
  }

  private static Cluster cluster(String target, ClusterSource.StrictDns name) {
    var address = SocketAddress.newBuilder().setAddress(name.hostname()).setPortValue(name.port());
    var endpoint =
        LbEndpoint.newBuilder()
            .setEndpoint(
                Endpoint.newBuilder().setAddress(Address.newBuilder().setSocketAddress(address)));
    return Cluster.newBuilder()
        .setName(target)
        .setType(Cluster.DiscoveryType.STRICT_DNS)
        .setLoadAssignment(
            ClusterLoadAssignment.newBuilder()
                .setClusterName(target)
                .addEndpoints(LocalityLbEndpoints.newBuilder().addLbEndpoints(endpoint)))
        .build();
  }
}
