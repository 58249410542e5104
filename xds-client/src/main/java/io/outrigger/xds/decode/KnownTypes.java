package io.outrigger.xds.decode;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.TypeRegistry;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
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
import io.envoyproxy.envoy.extensions.retry.host.omit_canary_hosts.v3.OmitCanaryHostsPredicate;
import io.envoyproxy.envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate;
import io.envoyproxy.envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport;
import io.envoyproxy.envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import java.util.List;

/** The message types that may stand in an {@code Any} of resources written or shown as JSON. */
final class KnownTypes {
  /** Adding a type adds everything that its file and the files it imports define. */
  private static final List<Descriptor> TYPES =
      List.of(
          Resource.getDescriptor(),
          Listener.getDescriptor(),
          RouteConfiguration.getDescriptor(),
          Cluster.getDescriptor(),
          ClusterLoadAssignment.getDescriptor(),
          HttpConnectionManager.getDescriptor(),
          TcpProxy.getDescriptor(),
          // HTTP filters
          Router.getDescriptor(),
          HTTPFault.getDescriptor(),
          StatefulSession.getDescriptor(),
          CookieBasedSessionState.getDescriptor(),
          RBAC.getDescriptor(),
          GcpAuthnFilterConfig.getDescriptor(),
          Cors.getDescriptor(),
          ExtAuthz.getDescriptor(),
          GrpcWeb.getDescriptor(),
          HeaderMutation.getDescriptor(),
          JwtAuthentication.getDescriptor(),
          LocalRateLimit.getDescriptor(),
          Lua.getDescriptor(),
          com.github.xds.type.v3.TypedStruct.getDescriptor(),
          com.github.udpa.udpa.type.v1.TypedStruct.getDescriptor(),
          // clusters
          io.envoyproxy.envoy.extensions.clusters.aggregate.v3.ClusterConfig.getDescriptor(),
          DnsCluster.getDescriptor(),
          HttpProtocolOptions.getDescriptor(),
          UpstreamTlsContext.getDescriptor(), // its file holds DownstreamTlsContext as well
          RawBuffer.getDescriptor(),
          Http11ProxyUpstreamTransport.getDescriptor(),
          CaresDnsResolverConfig.getDescriptor(),
          GetAddrInfoDnsResolverConfig.getDescriptor(),
          // balancing
          WrrLocality.getDescriptor(),
          RoundRobin.getDescriptor(),
          PickFirst.getDescriptor(),
          RingHash.getDescriptor(),
          LeastRequest.getDescriptor(),
          ClientSideWeightedRoundRobin.getDescriptor(),
          ClusterProvided.getDescriptor(),
          Random.getDescriptor(),
          Maglev.getDescriptor(),
          // what surrounds them
          PreviousHostsPredicate.getDescriptor(),
          OmitCanaryHostsPredicate.getDescriptor(),
          FileAccessLog.getDescriptor(),
          StdoutAccessLog.getDescriptor(),
          HttpGrpcAccessLogConfig.getDescriptor());

  /** Made on first use: building it takes a noticeable part of a second. */
  static final TypeRegistry REGISTRY = TypeRegistry.newBuilder().add(TYPES).build();

  private KnownTypes() {}
}
