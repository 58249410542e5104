package io.outrigger.observe.telemetry;

import java.util.Map;
import java.util.Set;

/**
 * Properties of gRPC's instruments that Prometheus' model cannot express. Prometheus would append
 * units that are annotations to the names, and it has no up-down counters.
 */
final class GrpcUnits {
  private static final Map<String, String> UNITS =
      Map.ofEntries(
          Map.entry("grpc.client.attempt.started", "{attempt}"),
          Map.entry("grpc.client.call.retries", "{retry}"),
          Map.entry("grpc.client.call.transparent_retries", "{transparent_retry}"),
          Map.entry("grpc.lb.outlier_detection.ejections_enforced", "{ejection}"),
          Map.entry("grpc.lb.outlier_detection.ejections_unenforced", "{ejection}"),
          Map.entry("grpc.lb.wrr.rr_fallback", "{update}"),
          Map.entry("grpc.lb.wrr.endpoint_weight_not_yet_usable", "{endpoint}"),
          Map.entry("grpc.lb.wrr.endpoint_weight_stale", "{endpoint}"),
          Map.entry("grpc.lb.wrr.endpoint_weights", "{weight}"),
          Map.entry("grpc.subchannel.disconnections", "{disconnection}"),
          Map.entry("grpc.subchannel.connection_attempts_succeeded", "{attempt}"),
          Map.entry("grpc.subchannel.connection_attempts_failed", "{attempt}"),
          Map.entry("grpc.client.tls.handshakes", "{handshake}"),
          Map.entry("grpc.server.call.started", "{call}"),
          Map.entry("grpc.server.tls.handshakes", "{handshake}"),
          Map.entry("grpc.subchannel.open_connections", "{connection}"),
          Map.entry("grpc.xds_client.connected", "{bool}"),
          Map.entry("grpc.xds_client.server_failure", "{failure}"),
          Map.entry("grpc.xds_client.resource_updates_valid", "{resource}"),
          Map.entry("grpc.xds_client.resource_updates_invalid", "{resource}"),
          Map.entry("grpc.xds_client.resources", "{resource}"));

  private static final Set<String> UP_DOWN_COUNTERS = Set.of("grpc.subchannel.open_connections");

  private GrpcUnits() {}

  static String of(String name) {
    return UNITS.getOrDefault(name, "");
  }

  /** Whether the instrument is a counter that can decrease, which is a gauge in Prometheus. */
  static boolean isUpDownCounter(String name) {
    return UP_DOWN_COUNTERS.contains(name);
  }
}
