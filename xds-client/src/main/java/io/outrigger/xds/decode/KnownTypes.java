package io.outrigger.xds.decode;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.TypeRegistry;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The message types that an {@code Any} may contain in resources that are read or printed as JSON.
 * Each type must be used by a decoder, because the jar of the distribution contains only the
 * generated classes that bytecode refers to.
 */
final class KnownTypes {
  static final Set<String> NAMES =
      """
      envoy.service.discovery.v3.Resource
      envoy.config.listener.v3.Listener
      envoy.config.route.v3.RouteConfiguration
      envoy.config.cluster.v3.Cluster
      envoy.config.endpoint.v3.ClusterLoadAssignment
      envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
      envoy.config.core.v3.Address
      envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState
      envoy.extensions.filters.http.rbac.v3.RBAC
      xds.type.v3.TypedStruct
      udpa.type.v1.TypedStruct
      envoy.extensions.clusters.aggregate.v3.ClusterConfig
      envoy.extensions.clusters.dns.v3.DnsCluster
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions
      envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
      envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
      envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer
      envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport
      envoy.extensions.filters.http.router.v3.Router
      envoy.extensions.filters.http.fault.v3.HTTPFault
      envoy.extensions.filters.http.stateful_session.v3.StatefulSession
      envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality
      envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin
      envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst
      envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash
      envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest
      envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin
      envoy.extensions.load_balancing_policies.random_subsetting.v3.RandomSubsetting
      """
          .lines()
          .collect(Collectors.toUnmodifiableSet());

  private KnownTypes() {}

  /** Returns all types in the proto files of the known types, and in imported files. */
  static TypeRegistry all() {
    return All.REGISTRY;
  }

  /** Returns the descriptor of a type URL; empty if the type is unknown or the URL is malformed. */
  static Optional<Descriptor> find(String url) {
    boolean isUrl = url.indexOf('/') >= 0;
    return Optional.ofNullable(isUrl ? all().find(TypedConfig.typeName(url)) : null);
  }

  /** Returns the descriptor of a known type; the type's generated class has the same name. */
  private static Descriptor load(String name) {
    if (name.equals(RandomSubsettingMessage.TYPE)) {
      return RandomSubsettingMessage.descriptor();
    }
    String parent =
        name.startsWith("envoy.")
            ? "io.envoyproxy."
            : name.startsWith("xds.") ? "com.github." : "com.github.udpa.";
    try {
      return (Descriptor) Class.forName(parent + name).getMethod("getDescriptor").invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no generated class of " + name, e);
    }
  }

  /** Loaded at the first use, because building the descriptors takes long. */
  private static final class All {
    static final TypeRegistry REGISTRY =
        TypeRegistry.newBuilder().add(NAMES.stream().map(KnownTypes::load).toList()).build();
  }
}
