package io.outrigger.xds.decode;

import static java.util.Map.entry;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.TypeRegistry;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.access_loggers.file.v3.FileAccessLog;
import io.envoyproxy.envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig;
import io.envoyproxy.envoy.extensions.access_loggers.stream.v3.StdoutAccessLog;
import io.envoyproxy.envoy.extensions.clusters.dns.v3.DnsCluster;
import io.envoyproxy.envoy.extensions.filters.http.cors.v3.Cors;
import io.envoyproxy.envoy.extensions.filters.http.ext_authz.v3.ExtAuthz;
import io.envoyproxy.envoy.extensions.filters.http.fault.v3.HTTPFault;
import io.envoyproxy.envoy.extensions.filters.http.gcp_authn.v3.GcpAuthnFilterConfig;
import io.envoyproxy.envoy.extensions.filters.http.grpc_web.v3.GrpcWeb;
import io.envoyproxy.envoy.extensions.filters.http.header_mutation.v3.HeaderMutation;
import io.envoyproxy.envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication;
import io.envoyproxy.envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit;
import io.envoyproxy.envoy.extensions.filters.http.lua.v3.Lua;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.http.stateful_session.v3.StatefulSession;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy;
import io.envoyproxy.envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState;
import io.envoyproxy.envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin;
import io.envoyproxy.envoy.extensions.load_balancing_policies.cluster_provided.v3.ClusterProvided;
import io.envoyproxy.envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest;
import io.envoyproxy.envoy.extensions.load_balancing_policies.maglev.v3.Maglev;
import io.envoyproxy.envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst;
import io.envoyproxy.envoy.extensions.load_balancing_policies.random.v3.Random;
import io.envoyproxy.envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash;
import io.envoyproxy.envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin;
import io.envoyproxy.envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality;
import io.envoyproxy.envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig;
import io.envoyproxy.envoy.extensions.network.dns_resolver.getaddrinfo.v3.GetAddrInfoDnsResolverConfig;
import io.envoyproxy.envoy.extensions.rbac.audit_loggers.stream.v3.StdoutAuditLog;
import io.envoyproxy.envoy.extensions.retry.host.omit_canary_hosts.v3.OmitCanaryHostsPredicate;
import io.envoyproxy.envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate;
import io.envoyproxy.envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport;
import io.envoyproxy.envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The message types that an {@code Any} may hold in resources that are read or printed as JSON.
 *
 * <p>Building the descriptor of a type also builds the descriptors of every file that its file
 * imports. Building the descriptors of all types takes a noticeable part of a second. Therefore the
 * registry for a document contains only the types that the document names.
 */
final class KnownTypes {
  private static final Map<String, Supplier<Descriptor>> TYPES =
      Map.ofEntries(
          entry("envoy.service.discovery.v3.Resource", Resource::getDescriptor),
          entry("envoy.config.listener.v3.Listener", Listener::getDescriptor),
          entry("envoy.config.route.v3.RouteConfiguration", RouteConfiguration::getDescriptor),
          entry("envoy.config.cluster.v3.Cluster", Cluster::getDescriptor),
          entry(
              "envoy.config.endpoint.v3.ClusterLoadAssignment",
              ClusterLoadAssignment::getDescriptor),
          entry(
              "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
              HttpConnectionManager::getDescriptor),
          entry("envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", TcpProxy::getDescriptor),
          entry("envoy.config.core.v3.Address", Address::getDescriptor),
          // HTTP filters
          entry("envoy.extensions.filters.http.router.v3.Router", Router::getDescriptor),
          entry("envoy.extensions.filters.http.fault.v3.HTTPFault", HTTPFault::getDescriptor),
          entry(
              "envoy.extensions.filters.http.stateful_session.v3.StatefulSession",
              StatefulSession::getDescriptor), // its file holds StatefulSessionPerRoute as well
          entry(
              "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState",
              CookieBasedSessionState::getDescriptor),
          entry(
              "envoy.extensions.filters.http.rbac.v3.RBAC",
              RBAC::getDescriptor), // its file holds RBACPerRoute as well
          entry(
              "envoy.extensions.rbac.audit_loggers.stream.v3.StdoutAuditLog",
              StdoutAuditLog::getDescriptor),
          entry(
              "envoy.extensions.filters.http.gcp_authn.v3.GcpAuthnFilterConfig",
              GcpAuthnFilterConfig::getDescriptor),
          entry("envoy.extensions.filters.http.cors.v3.Cors", Cors::getDescriptor),
          entry("envoy.extensions.filters.http.ext_authz.v3.ExtAuthz", ExtAuthz::getDescriptor),
          entry("envoy.extensions.filters.http.grpc_web.v3.GrpcWeb", GrpcWeb::getDescriptor),
          entry(
              "envoy.extensions.filters.http.header_mutation.v3.HeaderMutation",
              HeaderMutation::getDescriptor),
          entry(
              "envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication",
              JwtAuthentication::getDescriptor),
          entry(
              "envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit",
              LocalRateLimit::getDescriptor),
          entry("envoy.extensions.filters.http.lua.v3.Lua", Lua::getDescriptor),
          entry("xds.type.v3.TypedStruct", com.github.xds.type.v3.TypedStruct::getDescriptor),
          entry(
              "udpa.type.v1.TypedStruct", com.github.udpa.udpa.type.v1.TypedStruct::getDescriptor),
          // clusters
          entry(
              "envoy.extensions.clusters.aggregate.v3.ClusterConfig",
              io.envoyproxy.envoy.extensions.clusters.aggregate.v3.ClusterConfig::getDescriptor),
          entry("envoy.extensions.clusters.dns.v3.DnsCluster", DnsCluster::getDescriptor),
          entry(
              "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
              HttpProtocolOptions::getDescriptor),
          entry(
              "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
              UpstreamTlsContext::getDescriptor),
          entry(
              "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
              DownstreamTlsContext::getDescriptor),
          entry(
              "envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer",
              RawBuffer::getDescriptor),
          entry(
              "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport",
              Http11ProxyUpstreamTransport::getDescriptor),
          entry(
              "envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig",
              CaresDnsResolverConfig::getDescriptor),
          entry(
              "envoy.extensions.network.dns_resolver.getaddrinfo.v3.GetAddrInfoDnsResolverConfig",
              GetAddrInfoDnsResolverConfig::getDescriptor),
          // balancing
          entry(
              "envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality",
              WrrLocality::getDescriptor),
          entry(
              "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin",
              RoundRobin::getDescriptor),
          entry(
              "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst",
              PickFirst::getDescriptor),
          entry(
              "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash",
              RingHash::getDescriptor),
          entry(
              "envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest",
              LeastRequest::getDescriptor),
          entry(
              "envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin",
              ClientSideWeightedRoundRobin::getDescriptor),
          entry(RandomSubsettingMessage.TYPE, RandomSubsettingMessage::descriptor),
          entry(
              "envoy.extensions.load_balancing_policies.cluster_provided.v3.ClusterProvided",
              ClusterProvided::getDescriptor),
          entry("envoy.extensions.load_balancing_policies.random.v3.Random", Random::getDescriptor),
          entry("envoy.extensions.load_balancing_policies.maglev.v3.Maglev", Maglev::getDescriptor),
          // retry host predicates and access loggers
          entry(
              "envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate",
              PreviousHostsPredicate::getDescriptor),
          entry(
              "envoy.extensions.retry.host.omit_canary_hosts.v3.OmitCanaryHostsPredicate",
              OmitCanaryHostsPredicate::getDescriptor),
          entry(
              "envoy.extensions.access_loggers.file.v3.FileAccessLog",
              FileAccessLog::getDescriptor),
          entry(
              "envoy.extensions.access_loggers.stream.v3.StdoutAccessLog",
              StdoutAccessLog::getDescriptor),
          entry(
              "envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig",
              HttpGrpcAccessLogConfig::getDescriptor));

  private KnownTypes() {}

  /**
   * A registry of every known type, including all types in the same files and in imported files.
   */
  static TypeRegistry all() {
    return All.REGISTRY;
  }

  /**
   * Returns a registry of the types of {@code typeUrls}. If a type is not in {@link #types},
   * returns the registry of all types, because the file of a listed type may define it.
   */
  static TypeRegistry only(Set<String> typeUrls) {
    var registry = TypeRegistry.newBuilder();
    for (String url : typeUrls) {
      Supplier<Descriptor> type = TYPES.get(TypedConfig.typeName(url));
      if (type == null) {
        return all();
      }
      registry.add(type.get());
    }
    return registry.build();
  }

  /** Whether there is a descriptor of the type that {@code url} names. */
  static boolean isKnown(String url) {
    String name = TypedConfig.typeName(url);
    return TYPES.containsKey(name) || all().find(name) != null;
  }

  /** The types that this class lists, by their full name. */
  static Map<String, Supplier<Descriptor>> types() {
    return TYPES;
  }

  /** Holds the registry of all types, which is built on first use. */
  private static final class All {
    static final TypeRegistry REGISTRY =
        TypeRegistry.newBuilder().add(TYPES.values().stream().map(Supplier::get).toList()).build();
  }
}
