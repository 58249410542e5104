package io.outrigger.xds.kubernetes;

import com.google.protobuf.Any;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.core.v3.HealthStatus;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.outrigger.base.AnyThread;
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
 * Computes the endpoints of a service's port from its slices.
 *
 * <ul>
 *   <li>Ready endpoints are HEALTHY. Endpoints that terminate and still serve are DRAINING. When no
 *       endpoint is ready, they are HEALTHY, because kube-proxy also uses them in that case.
 *   <li>All addresses of one pod form one endpoint. No address is part of two endpoints.
 *   <li>Each zone is a locality, whose weight is the number of its healthy endpoints, at least 1.
 *   <li>When every ready endpoint has hints, and some hints name the zone of this process, the
 *       endpoints with these hints have priority 0 and all others priority 1.
 * </ul>
 *
 * @param isTarget accepts the port of a slice that the target names
 */
@AnyThread
record Assignment(ServicePort target, Optional<String> zone, Predicate<Port> isTarget) {
  /**
   * The order in which addresses are assigned to pods. Ready endpoints come first, because a
   * terminating pod in the host network may share its address with its replacement. Within a pod,
   * IPv4 comes first.
   */
  private static final Comparator<Reached> ORDER =
      Comparator.<Reached, Boolean>comparing(reached -> !reached.endpoint().isReady())
          .thenComparing(reached -> reached.endpoint().ip().contains(":"))
          .thenComparing(reached -> reached.endpoint().ip());

  private static final int MOST_PORTS = 20;

  /** One address of a pod, with the target's port in the slice of the address. */
  private record Reached(Endpoint endpoint, int port) {
    EndpointAddress key() {
      return new EndpointAddress(endpoint.ip(), port);
    }

    WireMessage address() {
      return WireMessage.address(endpoint.ip(), port);
    }
  }

  /** The addresses of one pod, at least one; the first address determines state and zone. */
  private record Pod(List<Reached> addresses) {
    boolean isReady() {
      return first().isReady();
    }

    Endpoint first() {
      return addresses.get(0).endpoint();
    }
  }

  private record Place(int priority, String zone) {}

  Assignment(ServicePort target, Optional<String> zone) {
    this(
        target,
        zone,
        target.number().isPresent()
            ? port -> port.number() == target.number().getAsInt()
            : port -> port.name().equals(target.port()));
  }

  /** Returns this assignment for the port called {@code name}. */
  Assignment ofPort(String name) {
    return new Assignment(target, zone, port -> port.name().equals(name));
  }

  /**
   * Returns the endpoints.
   *
   * @return a failure with code NOT_FOUND when there is no slice, or no slice has the port
   */
  Outcome<Any> of(Collection<EndpointSlice> slices) {
    if (slices.isEmpty()) {
      return missing(
          "has no EndpointSlices: namespace \"%s\" has no such service, or the service has no"
                  .formatted(target.namespace())
              + " selector; check the name");
    }
    List<Reached> reached = new ArrayList<>();
    // a slice without endpoints may have no ports, although the Service has the port
    boolean hasPort = slices.stream().allMatch(slice -> slice.endpoints().isEmpty());
    for (EndpointSlice slice : slices) {
      Optional<Port> port = slice.ports().stream().filter(isTarget).findFirst();
      hasPort |= port.isPresent();
      port.ifPresent(
          found ->
              slice.endpoints().forEach(each -> reached.add(new Reached(each, found.number()))));
    }
    return hasPort
        ? Outcome.ok(assignment(pods(reached)).as(ResourceType.ENDPOINT))
        : missing(otherPorts(slices));
  }

  private static List<Pod> pods(List<Reached> all) {
    Set<EndpointAddress> used = new HashSet<>();
    Map<String, List<Reached>> byPod = new LinkedHashMap<>();
    all.sort(ORDER);
    for (Reached reached : all) {
      if (used.add(reached.key())) {
        byPod.computeIfAbsent(reached.endpoint().pod(), pod -> new ArrayList<>(1)).add(reached);
      }
    }
    return byPod.values().stream().map(Pod::new).toList();
  }

  private WireMessage assignment(List<Pod> pods) {
    boolean anyReady = pods.stream().anyMatch(Pod::isReady);
    boolean areHintsObeyed = areHintsObeyed(pods);
    Map<Place, List<Pod>> places =
        new TreeMap<>(Comparator.comparing(Place::priority).thenComparing(Place::zone));
    for (Pod pod : pods) {
      int priority = areHintsObeyed && !isForZone(pod) ? 1 : 0;
      places
          .computeIfAbsent(new Place(priority, pod.first().zone()), absent -> new ArrayList<>())
          .add(pod);
    }
    var all =
        new WireMessage().text(ClusterLoadAssignment.CLUSTER_NAME_FIELD_NUMBER, target.toString());
    places.forEach(
        (place, here) ->
            all.message(
                ClusterLoadAssignment.ENDPOINTS_FIELD_NUMBER, locality(place, here, anyReady)));
    return all;
  }

  private boolean areHintsObeyed(List<Pod> pods) {
    List<Pod> ready = pods.stream().filter(Pod::isReady).toList();
    return ready.stream().noneMatch(pod -> pod.first().forZones().isEmpty())
        && ready.stream().anyMatch(this::isForZone);
  }

  private boolean isForZone(Pod pod) {
    return zone.isPresent() && pod.first().forZones().contains(zone.get());
  }

  private static WireMessage locality(Place place, List<Pod> pods, boolean anyReady) {
    long healthy = pods.stream().filter(pod -> pod.isReady() || !anyReady).count();
    // a locality of weight 0 would be left out, together with its draining endpoints
    int weight = (int) Math.max(1, healthy);
    var locality =
        new WireMessage()
            .message(
                LocalityLbEndpoints.LOCALITY_FIELD_NUMBER,
                new WireMessage().text(Locality.ZONE_FIELD_NUMBER, place.zone()))
            .message(
                LocalityLbEndpoints.LOAD_BALANCING_WEIGHT_FIELD_NUMBER,
                new WireMessage().number(UInt32Value.VALUE_FIELD_NUMBER, weight))
            .number(LocalityLbEndpoints.PRIORITY_FIELD_NUMBER, place.priority());
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

  private static WireMessage endpoint(List<Reached> addresses) {
    var endpoint =
        new WireMessage()
            .message(
                io.envoyproxy.envoy.config.endpoint.v3.Endpoint.ADDRESS_FIELD_NUMBER,
                addresses.get(0).address());
    for (Reached other : addresses.subList(1, addresses.size())) { // A61
      endpoint.message(
          io.envoyproxy.envoy.config.endpoint.v3.Endpoint.ADDITIONAL_ADDRESSES_FIELD_NUMBER,
          new WireMessage()
              .message(
                  io.envoyproxy.envoy.config.endpoint.v3.Endpoint.AdditionalAddress
                      .ADDRESS_FIELD_NUMBER,
                  other.address()));
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
            .limit(MOST_PORTS)
            .collect(Collectors.joining(", "));
    return "has no port \"%s\": its pods listen on %s; give the name or the number of such a port"
        .formatted(target.port(), known.isEmpty() ? "no TCP port" : PlainText.of(known));
  }

  private Outcome<Any> missing(String reason) {
    return Outcome.failed(
        new RpcStatus(
            RpcStatus.Code.NOT_FOUND,
            "kubernetes service \"%s.%s\" %s"
                .formatted(target.service(), target.namespace(), reason)));
  }
}
