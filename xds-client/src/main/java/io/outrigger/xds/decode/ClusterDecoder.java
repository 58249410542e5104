package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.cluster.v3.CircuitBreakers;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.RoutingPriority;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterResource.Limits;
import io.outrigger.config.cluster.ClusterResource.Sessions;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.cluster.LoadReporting;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.TransportSettings;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.xds.decode.WireFields.Cut;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Decodes {@code Cluster} (A27, A32, A55, A105). */
final class ClusterDecoder {
  static final String HTTP_PROTOCOL_OPTIONS =
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

  private ClusterDecoder() {}

  /** Removes the map fields of a cluster, which {@link WireFields} reads from the bytes. */
  static ByteString withoutMaps(ByteString bytes) throws InvalidProtocolBufferException {
    ByteString remainder = WireFields.cut(bytes, Cluster.METADATA_FIELD_NUMBER).remainder();
    int options = Cluster.TYPED_EXTENSION_PROTOCOL_OPTIONS_FIELD_NUMBER;
    return WireFields.cut(remainder, options).remainder();
  }

  private static void checkMetadata(ByteString bytes, FieldErrors errors) {
    try {
      Cut cut = WireFields.cut(bytes, Cluster.METADATA_FIELD_NUMBER);
      AddressDecoder.proxy(WireMetadata.read(cut.part(), errors), errors);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("a cluster that was parsed before can be read", e);
    }
  }

  static Optional<ClusterResource> decode(
      Cluster proto, ByteString bytes, DecodeContext context, FieldErrors errors) {
    Optional<ClusterSource> source = ClusterSourceDecoder.decode(proto, context, errors);
    Optional<BalancingPolicy> policy =
        BalancingPolicyDecoder.decode(proto, !ClusterSourceDecoder.hasEndpoints(proto), errors);
    TransportSettings transport = TransportSecurityDecoder.decode(proto, context, errors);
    Optional<LoadReporting> loadReporting = loadReporting(proto, context, errors.at("lrs_server"));
    Optional<OutlierDetection> outlierDetection =
        proto.hasOutlierDetection()
            ? Optional.of(
                OutlierDetectionDecoder.decode(
                    proto.getOutlierDetection(), errors.at("outlier_detection")))
            : Optional.empty();
    long maxConnections = maxConnections(proto.getCircuitBreakers(), errors.at("circuit_breakers"));
    checkMetadata(bytes, errors.at("metadata"));
    Duration idleTimeout = idleTimeout(bytes, errors);
    if (source.isEmpty() || policy.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new ClusterResource(
            proto.getName(),
            source.get(),
            policy.get(),
            new Limits(
                maxRequests(
                    proto.getCircuitBreakers(),
                    context.isOurs()
                        ? ClusterResource.UNLIMITED // decision proxy-0041
                        : Limits.DEFAULT.maxRequests()),
                maxConnections),
            outlierDetection,
            new Sessions(idleTimeout, overrideHostStatus(proto.getCommonLbConfig())),
            transport,
            loadReporting,
            OverlayEffect.NONE));
  }

  /** Decodes {@code lrs_server} (A27); empty for an aggregate cluster (A37). */
  private static Optional<LoadReporting> loadReporting(
      Cluster proto, DecodeContext context, FieldErrors errors) {
    if (!proto.hasLrsServer()) {
      return Optional.empty();
    }
    if (!proto.getLrsServer().hasSelf()) {
      errors.add(ClusterSourceDecoder.described(proto.getLrsServer()) + "; must be self");
    }
    var metrics = PropagatedMetrics.of(proto.getLrsReportEndpointMetricsList());
    return ClusterSourceDecoder.hasEndpoints(proto)
        ? context.loadServer().map(server -> new LoadReporting(server, metrics))
        : Optional.empty();
  }

  /** Decodes {@code max_requests} of the first threshold for the default priority (A32). */
  private static long maxRequests(CircuitBreakers proto, long unset) {
    return ofDefaultPriority(proto.getThresholdsList())
        .filter(CircuitBreakers.Thresholds::hasMaxRequests)
        .map(thresholds -> Integer.toUnsignedLong(thresholds.getMaxRequests().getValue()))
        .orElse(unset);
  }

  /**
   * Decodes {@code max_connections} of the first per-host entry for the default priority (A105 "xDS
   * Configuration").
   */
  private static long maxConnections(CircuitBreakers proto, FieldErrors errors) {
    var thresholds =
        ofDefaultPriority(proto.getPerHostThresholdsList())
            .filter(CircuitBreakers.Thresholds::hasMaxConnections);
    if (thresholds.isEmpty()) {
      return Limits.DEFAULT.maxConnections();
    }
    long max = Integer.toUnsignedLong(thresholds.get().getMaxConnections().getValue());
    if (max == 0) {
      int index = proto.getPerHostThresholdsList().indexOf(thresholds.get());
      errors.at("per_host_thresholds", index).at("max_connections").add("must be at least 1");
    }
    return Math.min(max, Limits.CONNECTIONS_CAP);
  }

  private static Optional<CircuitBreakers.Thresholds> ofDefaultPriority(
      List<CircuitBreakers.Thresholds> all) {
    for (CircuitBreakers.Thresholds each : all) { // runs for each cluster, so no stream
      if (each.getPriority() == RoutingPriority.DEFAULT) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }

  /** Decodes {@code override_host_status}; ignores statuses that A55 does not support. */
  private static Set<HealthStatus> overrideHostStatus(Cluster.CommonLbConfig proto) {
    if (!proto.hasOverrideHostStatus()) {
      return Set.of(HealthStatus.UNKNOWN, HealthStatus.HEALTHY);
    }
    var statuses = EnumSet.noneOf(HealthStatus.class);
    for (var status : proto.getOverrideHostStatus().getStatusesList()) {
      HealthStatus health = EndpointDecoder.health(status);
      if (health.isUsable() || health == HealthStatus.DRAINING) {
        statuses.add(health);
      }
    }
    return statuses;
  }

  /** Decodes the idle timeout of {@code HttpProtocolOptions} (A75 "Reading idle_timeout"). */
  private static Duration idleTimeout(ByteString bytes, FieldErrors errors) {
    Map<String, Any> all = Map.of();
    try {
      int field = Cluster.TYPED_EXTENSION_PROTOCOL_OPTIONS_FIELD_NUMBER;
      all = WireFields.entries(bytes, field, Any.parser());
    } catch (InvalidProtocolBufferException e) {
      errors.at("typed_extension_protocol_options").add("is not readable: " + e.getMessage());
    }
    Any any = all.get(HTTP_PROTOCOL_OPTIONS);
    if (any == null) {
      return ClusterResource.DEFAULT_IDLE_TIMEOUT;
    }
    FieldErrors here = errors.at("typed_extension_protocol_options", HTTP_PROTOCOL_OPTIONS);
    String type = TypedConfig.typeName(any.getTypeUrl());
    if (!type.equals(HTTP_PROTOCOL_OPTIONS)) {
      here.add("holds " + quoted(type) + "; must be " + HTTP_PROTOCOL_OPTIONS);
      return ClusterResource.DEFAULT_IDLE_TIMEOUT;
    }
    return TypedConfig.read(any, HttpProtocolOptions.getDefaultInstance(), here)
        .map(HttpProtocolOptions::getCommonHttpProtocolOptions)
        .filter(io.envoyproxy.envoy.config.core.v3.HttpProtocolOptions::hasIdleTimeout)
        .flatMap(
            common ->
                ProtoDurations.decode(
                    common.getIdleTimeout(),
                    here.at("common_http_protocol_options").at("idle_timeout")))
        .orElse(ClusterResource.DEFAULT_IDLE_TIMEOUT);
  }
}
