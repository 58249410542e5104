package io.outrigger.xds.kubernetes;

import com.google.protobuf.Any;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.core.v3.HealthStatus;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.outrigger.base.Outcome;
import io.outrigger.base.PlainText;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.WireMessage;
import io.outrigger.xds.kubernetes.EndpointSlice.Endpoint;
import io.outrigger.xds.kubernetes.EndpointSlice.Port;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Computes the endpoints of a service's port from its EndpointSlices.
 *
 * <ul>
 *   <li>Ready endpoints are HEALTHY. If no endpoint is ready, endpoints that terminate but still
 *       serve are HEALTHY, as in kube-proxy; otherwise such endpoints are DRAINING.
 *   <li>All addresses of one pod form one endpoint. No two endpoints share an address.
 *   <li>Each zone is a locality. The weight of a locality is the number of its healthy endpoints,
 *       but at least 1.
 *   <li>Zone hints apply if every ready endpoint has hints and some hints name the zone of this
 *       process. If they apply, endpoints with hints for this zone have priority 0, all others
 *       priority 1.
 * </ul>
 *
 * @param isTarget tests whether a port of a slice is the port that the target names
 */
record Assignment(ServicePort target, Optional<String> zone, Predicate<Port> isTarget) {
  private static final int MAX_PORTS_SHOWN = 20;

  private record PodAddress(Endpoint endpoint, int port) {
    WireMessage message() {
      return WireMessage.address(endpoint.ip(), port);
    }
  }

  /** A pod with at least one address; the first address determines the pod's state and zone. */
  private record Pod(List<PodAddress> addresses) {
    boolean isReady() {
      return first().isReady();
    }

    Endpoint first() {
      return addresses.get(0).endpoint();
    }
  }

  Assignment(ServicePort target, Optional<String> zone) {
    this(
        target,
        zone,
        target.number().isPresent()
            ? port -> port.number() == target.number().getAsInt()
            : port -> port.name().equals(target.port()));
  }

  Assignment ofPort(String name) {
    return new Assignment(target, zone, port -> port.name().equals(name));
  }

  /** Fails with NOT_FOUND if there is no slice, or if no slice has the port. */
  Outcome<Any> of(Collection<EndpointSlice> slices) {
    if (slices.isEmpty()) {
      return missing(
          "has no EndpointSlices: namespace \"%s\" has no such service, or the service has no"
                  .formatted(target.namespace())
              + " selector; check the name");
    }
    List<PodAddress> addresses = new ArrayList<>();
    // A slice without endpoints may have no ports, although the Service has the port.
    boolean hasPort = slices.stream().allMatch(slice -> slice.endpoints().isEmpty());
    for (EndpointSlice slice : slices) {
      Optional<Port> port = slice.ports().stream().filter(isTarget).findFirst();
      hasPort |= port.isPresent();
      port.ifPresent(
          found ->
              slice
                  .endpoints()
                  .forEach(each -> addresses.add(new PodAddress(each, found.number()))));
    }
    return hasPort
        ? Outcome.ok(assignment(pods(addresses)).as(ResourceType.ENDPOINT))
        : missing(otherPorts(slices));
  }

  private static List<Pod> pods(List<PodAddress> all) {
    Set<EndpointAddress> used = new HashSet<>();
    Map<String, List<PodAddress>> byPod = new LinkedHashMap<>();
    all.sort(Comparator.comparing(PodAddress::endpoint));
    for (PodAddress address : all) {
      if (used.add(new EndpointAddress(address.endpoint().ip(), address.port()))) {
        byPod.computeIfAbsent(address.endpoint().pod(), pod -> new ArrayList<>(1)).add(address);
      }
    }
    return byPod.values().stream().map(Pod::new).toList();
  }

  private WireMessage assignment(List<Pod> pods) {
    boolean anyReady = pods.stream().anyMatch(Pod::isReady);
    boolean areHintsObeyed = areHintsObeyed(pods);
    var all =
        new WireMessage().text(ClusterLoadAssignment.CLUSTER_NAME_FIELD_NUMBER, target.toString());
    for (int priority = 0; priority < 2; priority++) {
      Map<String, List<Pod>> zones = new TreeMap<>();
      for (Pod pod : pods) {
        if (priority == (areHintsObeyed && !isForZone(pod) ? 1 : 0)) {
          zones.computeIfAbsent(pod.first().zone(), zone -> new ArrayList<>()).add(pod);
        }
      }
      for (var zone : zones.entrySet()) {
        all.message(
            ClusterLoadAssignment.ENDPOINTS_FIELD_NUMBER,
            locality(priority, zone.getKey(), zone.getValue(), anyReady));
      }
    }
    return all;
  }

  private boolean areHintsObeyed(List<Pod> pods) {
    return pods.stream().noneMatch(pod -> pod.isReady() && pod.first().forZones().isEmpty())
        && pods.stream().anyMatch(pod -> pod.isReady() && isForZone(pod));
  }

  private boolean isForZone(Pod pod) {
    return zone.isPresent() && pod.first().forZones().contains(zone.get());
  }

  private static WireMessage locality(int priority, String zone, List<Pod> pods, boolean anyReady) {
    long healthy = pods.stream().filter(pod -> pod.isReady() || !anyReady).count();
    // Weight 0 would make clients ignore the locality and its draining endpoints.
    int weight = (int) Math.max(1, healthy);
    var locality =
        new WireMessage()
            .message(
                LocalityLbEndpoints.LOCALITY_FIELD_NUMBER,
                new WireMessage().text(Locality.ZONE_FIELD_NUMBER, zone))
            .message(
                LocalityLbEndpoints.LOAD_BALANCING_WEIGHT_FIELD_NUMBER,
                new WireMessage().number(UInt32Value.VALUE_FIELD_NUMBER, weight))
            .number(LocalityLbEndpoints.PRIORITY_FIELD_NUMBER, priority);
    for (Pod pod : pods) {
      boolean isHealthy = pod.isReady() || !anyReady;
      locality.message(
          LocalityLbEndpoints.LB_ENDPOINTS_FIELD_NUMBER,
          new WireMessage()
              .message(LbEndpoint.ENDPOINT_FIELD_NUMBER, endpoint(pod.addresses()))
              .number(
                  LbEndpoint.HEALTH_STATUS_FIELD_NUMBER,
                  isHealthy ? HealthStatus.HEALTHY_VALUE : HealthStatus.DRAINING_VALUE));
    }
    return locality;
  }

  private static WireMessage endpoint(List<PodAddress> addresses) {
    var endpoint =
        new WireMessage()
            .message(
                io.envoyproxy.envoy.config.endpoint.v3.Endpoint.ADDRESS_FIELD_NUMBER,
                addresses.get(0).message());
    for (PodAddress other : addresses.subList(1, addresses.size())) { // A61
      endpoint.message(
          io.envoyproxy.envoy.config.endpoint.v3.Endpoint.ADDITIONAL_ADDRESSES_FIELD_NUMBER,
          new WireMessage()
              .message(
                  io.envoyproxy.envoy.config.endpoint.v3.Endpoint.AdditionalAddress
                      .ADDRESS_FIELD_NUMBER,
                  other.message()));
    }
    return endpoint;
  }

  private String otherPorts(Collection<EndpointSlice> slices) {
    String known =
        slices.stream()
            .flatMap(slice -> slice.ports().stream())
            .map(port -> (port.name().isEmpty() ? "" : port.name() + "=") + port.number())
            .distinct()
            .sorted()
            .limit(MAX_PORTS_SHOWN)
            .collect(Collectors.joining(", "));
    return known.isEmpty()
        ? "has no TCP port in its slices; check ports and targetPort of the Service"
        : "has no port \"%s\": its pods listen on %s; give the name or the number of such a port"
            .formatted(target.port(), PlainText.of(known));
  }

  private Outcome<Any> missing(String reason) {
    return Outcome.failed(
        new RpcStatus(
            RpcStatus.Code.NOT_FOUND,
            "kubernetes service \"%s.%s\" %s"
                .formatted(target.service(), target.namespace(), reason)));
  }
}
