package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.WireMessage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The resources of {@code dns:///} targets (decision proxy-0041). Each target has a {@link
 * DirectListener} and a cluster of type STRICT_DNS, both with the name of the target.
 */
public final class DnsResources {
  /** Takes the place of a control plane for {@code dns:///} targets; status views show its name. */
  public static final XdsServer SERVER =
      new XdsServer(
          "dns", new XdsServer.ChannelCredentials.Insecure(), List.of(), ServerFeatures.NONE);

  private DnsResources() {}

  public static LocalAdsTransport of(ControlLoop loop, List<ClusterSource.Dns> names) {
    Map<String, Any> listeners = new HashMap<>();
    Map<String, Any> clusters = new HashMap<>();
    for (ClusterSource.Dns name : names) {
      String target = target(name);
      listeners.put(target, DirectListener.to(target).as(ResourceType.LISTENER));
      clusters.put(target, cluster(target, name).as(ResourceType.CLUSTER));
    }
    var transport = new LocalAdsTransport(loop, SERVER.uri());
    transport.publish(
        ResourceSnapshot.of(
            Map.of(ResourceType.LISTENER, listeners, ResourceType.CLUSTER, clusters), Map.of()));
    return transport;
  }

  /** Returns the target {@code dns:///host:port}, which is also the name of its resources. */
  public static String target(ClusterSource.Dns name) {
    return "dns:///" + name;
  }

  private static WireMessage cluster(String target, ClusterSource.Dns name) {
    var endpoint =
        new WireMessage()
            .message(
                LbEndpoint.ENDPOINT_FIELD_NUMBER,
                new WireMessage()
                    .message(
                        Endpoint.ADDRESS_FIELD_NUMBER,
                        WireMessage.address(name.hostname(), name.port())));
    var assignment =
        new WireMessage()
            .text(ClusterLoadAssignment.CLUSTER_NAME_FIELD_NUMBER, target)
            .message(
                ClusterLoadAssignment.ENDPOINTS_FIELD_NUMBER,
                new WireMessage().message(LocalityLbEndpoints.LB_ENDPOINTS_FIELD_NUMBER, endpoint));
    return new WireMessage()
        .text(Cluster.NAME_FIELD_NUMBER, target)
        .number(Cluster.TYPE_FIELD_NUMBER, Cluster.DiscoveryType.STRICT_DNS_VALUE)
        .message(Cluster.LOAD_ASSIGNMENT_FIELD_NUMBER, assignment);
  }
}
