package io.outrigger.xds.kubernetes;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.local.DirectListener;
import io.outrigger.xds.local.LocalAdsTransport;
import io.outrigger.xds.local.ResourceSnapshot;
import io.outrigger.xds.local.WireMessage;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The resources of one {@code k8s:///} target, in the form that a control plane would send: a
 * Listener with one route to a cluster of type EDS, and the endpoints of that cluster, all of which
 * have the name of the target. Each target is a server of its own, so that a change of one service
 * costs the other targets nothing.
 */
@ControlConfined
public final class KubernetesResources {
  private final ServicePort target;
  private final ResourceSnapshot withoutEndpoints;
  private final LocalAdsTransport transport;

  KubernetesResources(ControlLoop control, ServicePort target) {
    String name = target.toString();
    this.target = target;
    this.transport = new LocalAdsTransport(control, name);
    this.withoutEndpoints =
        ResourceSnapshot.of(
            Map.of(
                ResourceType.LISTENER,
                    Map.of(name, DirectListener.to(name).as(ResourceType.LISTENER)),
                ResourceType.CLUSTER, Map.of(name, cluster(name).as(ResourceType.CLUSTER))));
  }

  /**
   * Returns the server entry of a target, which status views show. A service that is missing, or
   * may not be read, is an error of the data: endpoints of a deleted service are not used further.
   */
  public static XdsServer server(ServicePort target) {
    return new XdsServer(
        target.toString(),
        new XdsServer.ChannelCredentials.Insecure(),
        List.of(),
        new ServerFeatures(false, /* failOnDataErrors= */ true, false));
  }

  /**
   * Returns the resources with these endpoints.
   *
   * <p>May be called on any thread.
   *
   * @param problem why the endpoints may be out of date, although they stay in use
   */
  ResourceSnapshot with(Outcome<Any> endpoints, Optional<RpcStatus> problem) {
    String name = target.toString();
    return withoutEndpoints.with(
        ResourceType.ENDPOINT,
        endpoints.toOptional().map(known -> Map.of(name, known)).orElse(Map.of()),
        problem
            .or(() -> Optional.of(endpoints.status()).filter(status -> !status.isOk()))
            .map(status -> Map.of(name, status))
            .orElse(Map.of()));
  }

  private static WireMessage cluster(String name) {
    var ads = new WireMessage().message(ConfigSource.ADS_FIELD_NUMBER, new WireMessage());
    return new WireMessage()
        .text(Cluster.NAME_FIELD_NUMBER, name)
        .number(Cluster.TYPE_FIELD_NUMBER, Cluster.DiscoveryType.EDS_VALUE)
        .message(
            Cluster.EDS_CLUSTER_CONFIG_FIELD_NUMBER,
            new WireMessage().message(Cluster.EdsClusterConfig.EDS_CONFIG_FIELD_NUMBER, ads));
  }

  ServicePort target() {
    return target;
  }

  LocalAdsTransport transport() {
    return transport;
  }
}
