package io.outrigger.xds.kubernetes;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.HealthStatus;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.PlainText;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.kubernetes.EndpointSlice.Endpoint;
import io.outrigger.xds.kubernetes.EndpointSlice.Port;
import io.outrigger.xds.kubernetes.EndpointSlice.State;
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
 *   <li>Ready endpoints are HEALTHY. Endpoints that terminate and still serve are DRAINING; when no
 *       endpoint is ready, they are HEALTHY, as kube-proxy uses them then.
 *   <li>The addresses of one pod are one endpoint, and an address belongs to one endpoint.
 *   <li>Each zone is a locality, whose weight is the number of its endpoints.
 *   <li>When every ready endpoint has hints, and some hints name the own zone, the endpoints for
 *       the own zone have priority 0 and all others priority 1.
 * </ul>
 *
 * @param isTarget whether a port of a slice is the target's
 */
@AnyThread
record Assignment(ServicePort target, Optional<String> zone, Predicate<Port> isTarget) {
  /**
   * The order in which addresses are used. Ready endpoints come first: a pod of the host network
   * that terminates has the address of the pod that replaces it. IPv4 comes first in a pod.
   */
  private static final Comparator<Reached> ORDER =
      Comparator.<Reached, State>comparing(reached -> reached.endpoint().state())
          .thenComparing(reached -> reached.endpoint().ip().contains(":"))
          .thenComparing(reached -> reached.endpoint().ip());

  private static final int MOST_PORTS = 20;

  /** One address of a pod, with the port that the address's slice has. */
  private record Reached(Endpoint endpoint, int port) {
    Address address() {
      return Address.newBuilder()
          .setSocketAddress(SocketAddress.newBuilder().setAddress(endpoint.ip()).setPortValue(port))
          .build();
    }
  }

  /** The addresses of one pod, at least one; the first decides about state and zone. */
  private record Pod(List<Reached> addresses) {
    boolean isReady() {
      return first().state() == State.READY;
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
   * @return a failure with code NOT_FOUND when there is no slice, or none that has the port
   */
  Outcome<ClusterLoadAssignment> of(Collection<EndpointSlice> slices) {
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
    return hasPort ? Outcome.ok(assignment(pods(reached))) : missing(otherPorts(slices));
  }

  private static List<Pod> pods(List<Reached> all) {
    Set<Address> used = new HashSet<>();
    Map<String, List<Reached>> byPod = new LinkedHashMap<>();
    all.sort(ORDER);
    for (Reached reached : all) {
      if (used.add(reached.address())) {
        byPod.computeIfAbsent(reached.endpoint().pod(), pod -> new ArrayList<>(1)).add(reached);
      }
    }
    return byPod.values().stream().map(Pod::new).toList();
  }

  private ClusterLoadAssignment assignment(List<Pod> pods) {
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
    var all = ClusterLoadAssignment.newBuilder().setClusterName(target.toString());
    places.forEach((place, here) -> all.addEndpoints(locality(place, here, anyReady)));
    return all.build();
  }

  private boolean areHintsObeyed(List<Pod> pods) {
    List<Pod> ready = pods.stream().filter(Pod::isReady).toList();
    return ready.stream().noneMatch(pod -> pod.first().forZones().isEmpty())
        && ready.stream().anyMatch(this::isForZone);
  }

  private boolean isForZone(Pod pod) {
    return zone.isPresent() && pod.first().forZones().contains(zone.get());
  }

  private static LocalityLbEndpoints locality(Place place, List<Pod> pods, boolean anyReady) {
    long healthy = pods.stream().filter(pod -> pod.isReady() || !anyReady).count();
    var locality =
        LocalityLbEndpoints.newBuilder()
            .setPriority(place.priority())
            .setLocality(Locality.newBuilder().setZone(place.zone()))
            // a locality of weight 0 would be left out, together with its draining endpoints
            .setLoadBalancingWeight(UInt32Value.of((int) Math.max(1, healthy)));
    for (Pod pod : pods) {
      LbEndpoint.Builder endpoint =
          locality
              .addLbEndpointsBuilder()
              .setHealthStatus(
                  pod.isReady() || !anyReady ? HealthStatus.HEALTHY : HealthStatus.DRAINING);
      var addresses = endpoint.getEndpointBuilder().setAddress(pod.addresses().get(0).address());
      pod.addresses().stream()
          .skip(1)
          .forEach(
              other ->
                  addresses.addAdditionalAddressesBuilder().setAddress(other.address())); // A61
    }
    return locality.build();
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

  private Outcome<ClusterLoadAssignment> missing(String reason) {
    return Outcome.failed(
        new RpcStatus(
            RpcStatus.Code.NOT_FOUND,
            "kubernetes service \"%s.%s\" %s"
                .formatted(target.service(), target.namespace(), reason)));
  }
}
