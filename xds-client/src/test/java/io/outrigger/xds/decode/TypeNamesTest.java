package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.FilterConfig;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.clusters.aggregate.v3.ClusterConfig;
import io.envoyproxy.envoy.extensions.filters.http.fault.v3.HTTPFault;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBAC;
import io.envoyproxy.envoy.extensions.filters.http.rbac.v3.RBACPerRoute;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.http.stateful_session.v3.StatefulSession;
import io.envoyproxy.envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState;
import io.envoyproxy.envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst;
import io.envoyproxy.envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin;
import io.envoyproxy.envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality;
import io.envoyproxy.envoy.extensions.rbac.audit_loggers.stream.v3.StdoutAuditLog;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.outrigger.xds.ResourceType;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Decoders know types by text, which spares them the descriptors; the texts must be right. */
class TypeNamesTest {
  static Stream<Arguments> names() {
    return Stream.of(
        Arguments.of(
            TypedConfig.typeName(ResourceType.LISTENER.typeUrl()), Listener.getDescriptor()),
        Arguments.of(
            TypedConfig.typeName(ResourceType.ROUTE.typeUrl()), RouteConfiguration.getDescriptor()),
        Arguments.of(TypedConfig.typeName(ResourceType.CLUSTER.typeUrl()), Cluster.getDescriptor()),
        Arguments.of(
            TypedConfig.typeName(ResourceType.ENDPOINT.typeUrl()),
            ClusterLoadAssignment.getDescriptor()),
        Arguments.of(ConnectionManagerDecoder.TYPE, HttpConnectionManager.getDescriptor()),
        Arguments.of(FilterDecoders.ROUTER, Router.getDescriptor()),
        Arguments.of(FaultDecoder.TYPE, HTTPFault.getDescriptor()),
        Arguments.of(StatefulSessionDecoder.TYPE, StatefulSession.getDescriptor()),
        Arguments.of(StatefulSessionDecoder.OVERRIDE_TYPE, StatefulSessionPerRoute.getDescriptor()),
        Arguments.of(StatefulSessionDecoder.COOKIE_STATE, CookieBasedSessionState.getDescriptor()),
        Arguments.of(RbacDecoder.TYPE, RBAC.getDescriptor()),
        Arguments.of(RbacDecoder.OVERRIDE_TYPE, RBACPerRoute.getDescriptor()),
        Arguments.of(RbacDecoder.STDOUT_LOGGER, StdoutAuditLog.getDescriptor()),
        Arguments.of(TransportSecurityDecoder.DOWNSTREAM_TLS, DownstreamTlsContext.getDescriptor()),
        Arguments.of(HttpFilterDecoder.FILTER_CONFIG, FilterConfig.getDescriptor()),
        Arguments.of(ClusterSourceDecoder.AGGREGATE, ClusterConfig.getDescriptor()),
        Arguments.of(ClusterDecoder.HTTP_PROTOCOL_OPTIONS, HttpProtocolOptions.getDescriptor()),
        Arguments.of(PolicyDecoderRegistry.WRR_LOCALITY.typeName(), WrrLocality.getDescriptor()),
        Arguments.of(PolicyDecoderRegistry.ROUND_ROBIN.typeName(), RoundRobin.getDescriptor()),
        Arguments.of(PolicyDecoderRegistry.PICK_FIRST.typeName(), PickFirst.getDescriptor()),
        Arguments.of(RandomSubsettingMessage.TYPE, RandomSubsettingMessage.descriptor()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("names")
  void textIsTheNameOfTheType(String name, Descriptor type) {
    assertThat(name).isEqualTo(type.getFullName());
  }
}
