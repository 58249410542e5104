package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.outrigger.base.Count;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.xds.decode.RecentEndpoints.Known;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decodes {@code ClusterLoadAssignment} (A27 "ClusterLoadAssignment Proto", A61). The result
 * contains endpoints of every health status, because a stateful session may use an endpoint that
 * load balancing skips.
 */
final class EndpointDecoder {
  private static final int[] LB_ENDPOINTS = {
    ClusterLoadAssignment.ENDPOINTS_FIELD_NUMBER, LocalityLbEndpoints.LB_ENDPOINTS_FIELD_NUMBER
  };

  private static final int[] LOCALITY_METADATA = {
    ClusterLoadAssignment.ENDPOINTS_FIELD_NUMBER, LocalityLbEndpoints.METADATA_FIELD_NUMBER
  };

  private final Map<ByteString, Endpoint> known = new HashMap<>();
  private final Set<EndpointAddress> addresses = new HashSet<>();

  /**
   * Removes the endpoints, which are parsed one by one, and the map fields, which {@link
   * WireFields} reads from the original bytes.
   */
  static ByteString withoutEndpoints(ByteString bytes) {
    ByteString remainder = WireFields.cut(bytes, LB_ENDPOINTS).remainder();
    return WireFields.cut(remainder, LOCALITY_METADATA).remainder();
  }

  static Optional<EndpointSet> decode(
      ClusterLoadAssignment proto, ByteString bytes, DecodeContext context, FieldErrors errors)
      throws InvalidProtocolBufferException {
    var decoder = new EndpointDecoder();
    Optional<Known> before = context.recent().find(proto.getClusterName());
    if (before.isPresent()) {
      decoder.addKnown(before.get().set(), before.get().bytes());
    }
    return decoder.decode(proto, bytes, errors);
  }

  /**
   * Maps the bytes of the endpoints of {@code raw} to the endpoints of the set decoded from it. The
   * order is that of {@link #decode}: by priority, then by place in the message.
   */
  private void addKnown(EndpointSet set, ByteString raw) throws InvalidProtocolBufferException {
    Map<List<Integer>, List<ByteString>> parts = WireFields.cut(raw, LB_ENDPOINTS).parts();
    var proto = ClusterLoadAssignment.parseFrom(withoutEndpoints(raw));
    var priorities = new TreeMap<Long, List<ByteString>>();
    for (int i = 0; i < proto.getEndpointsCount(); i++) {
      if (proto.getEndpoints(i).getLoadBalancingWeight().getValue() != 0) {
        long priority = Integer.toUnsignedLong(proto.getEndpoints(i).getPriority());
        priorities
            .computeIfAbsent(priority, p -> new ArrayList<>())
            .addAll(parts.getOrDefault(List.of(i), List.of()));
      }
    }
    List<ByteString> all = new ArrayList<>();
    priorities.values().forEach(all::addAll);
    List<Endpoint> decoded = new ArrayList<>(all.size());
    set.priorities().forEach(each -> each.forEach(part -> decoded.addAll(part.endpoints())));
    for (int i = 0; i < all.size() && all.size() == decoded.size(); i++) { // else some are left out
      if (decoded.get(i).address().proxy().isEmpty()) { // a proxy may be the locality's
        known.put(all.get(i), decoded.get(i));
      }
    }
  }

  private Optional<EndpointSet> decode(
      ClusterLoadAssignment proto, ByteString bytes, FieldErrors errors)
      throws InvalidProtocolBufferException {
    WireFields.Cut cut = WireFields.cut(bytes, LB_ENDPOINTS);
    WireFields.Cut metadata = WireFields.cut(cut.remainder(), LOCALITY_METADATA);
    var priorities = new TreeMap<Long, List<LocalityEndpoints>>();
    var localities = new HashMap<Long, Set<Locality>>(); // by priority
    int withoutWeight = 0;
    int withoutPort = 0;
    for (int i = 0; i < proto.getEndpointsCount(); i++) {
      LocalityLbEndpoints locality = proto.getEndpoints(i);
      FieldErrors here = errors.at("endpoints", i);
      if (!locality.hasLocality()) {
        here.at("locality").add("is missing; an empty message {} will do");
      }
      if (locality.getLoadBalancingWeight().getValue() == 0) {
        here.at("load_balancing_weight").ignore("is 0 or missing; the locality is left out"); // A27
        withoutWeight++;
        continue;
      }
      long priority = Integer.toUnsignedLong(locality.getPriority());
      List<ByteString> endpoints = cut.parts().getOrDefault(List.of(i), List.of());
      LocalityEndpoints decoded = locality(locality, endpoints, metadata.part(i), here);
      withoutPort += endpoints.size() - decoded.endpoints().size();
      if (!localities.computeIfAbsent(priority, p -> new HashSet<>()).add(decoded.locality())) {
        String place = decoded.locality() + " (region/zone/sub_zone)";
        here.at("locality").add(place + " occurs twice in priority " + priority);
      }
      priorities.computeIfAbsent(priority, p -> new ArrayList<>()).add(decoded);
    }
    checkPriorities(priorities, errors.at("endpoints"));
    return Optional.of(
        new EndpointSet(
            proto.getClusterName(),
            List.copyOf(priorities.values()),
            drops(proto, errors),
            leftOut(withoutWeight, withoutPort)));
  }

  private static List<String> leftOut(int localities, int endpoints) {
    List<String> leftOut = new ArrayList<>();
    if (localities > 0) {
      String noun = localities == 1 ? "locality" : "localities";
      leftOut.add("%d %s without load_balancing_weight".formatted(localities, noun));
    }
    if (endpoints > 0) {
      leftOut.add(Count.of(endpoints, "endpoint") + " without a port");
    }
    return leftOut;
  }

  private static void checkPriorities(
      SortedMap<Long, List<LocalityEndpoints>> priorities, FieldErrors errors) {
    long expected = 0;
    for (var priority : priorities.entrySet()) {
      if (priority.getKey() != expected) {
        errors.add(
            "no locality with a weight has priority %d, but a lower one exists; leave no gap"
                .formatted(expected));
        return;
      }
      long sum = 0;
      for (LocalityEndpoints locality : priority.getValue()) { // no stream: once per cluster
        sum += locality.weight();
      }
      if (sum > RouteActionDecoder.MAX_UINT32) {
        errors.add(
            "the locality weights of priority %d add up to %d, above %d"
                .formatted(expected, sum, RouteActionDecoder.MAX_UINT32));
      }
      expected++;
    }
  }

  private LocalityEndpoints locality(
      LocalityLbEndpoints proto,
      List<ByteString> parts,
      @Nullable ByteString metadata,
      FieldErrors errors)
      throws InvalidProtocolBufferException {
    var endpoints = new ArrayList<Endpoint>(parts.size());
    long weights = 0;
    FieldErrors here = errors.at("metadata");
    Optional<EndpointAddress> proxy = AddressDecoder.proxy(WireMetadata.read(metadata, here), here);
    for (int i = 0; i < parts.size(); i++) {
      FieldErrors at = errors.at("lb_endpoints", i);
      Endpoint same = proxy.isPresent() ? null : known.get(parts.get(i));
      Optional<Endpoint> decoded =
          same == null ? endpoint(parts.get(i), proxy, at) : Optional.of(same);
      if (decoded.isPresent()) {
        endpoints.add(decoded.get());
        weights += decoded.get().weight();
        checkUnique(decoded.get(), at);
      }
    }
    if (weights > RouteActionDecoder.MAX_UINT32) { // A113 multiplies weights by this sum
      errors
          .at("lb_endpoints")
          .add("the weights add up to " + weights + ", above " + RouteActionDecoder.MAX_UINT32);
    }
    var locality = proto.getLocality();
    return new LocalityEndpoints(
        new Locality(locality.getRegion(), locality.getZone(), locality.getSubZone()),
        Integer.toUnsignedLong(proto.getLoadBalancingWeight().getValue()),
        endpoints);
  }

  private void checkUnique(Endpoint endpoint, FieldErrors errors) {
    for (EndpointAddress address : endpoint.addresses()) {
      if (!addresses.add(address.bare())) {
        errors.at("endpoint").at("address").add("duplicate address " + address.bare());
      }
    }
  }

  private static Optional<Endpoint> endpoint(
      ByteString bytes, Optional<EndpointAddress> localityProxy, FieldErrors errors)
      throws InvalidProtocolBufferException {
    WireFields.Cut cut = WireFields.cut(bytes, LbEndpoint.METADATA_FIELD_NUMBER);
    LbEndpoint proto = LbEndpoint.parseFrom(cut.remainder());
    FieldErrors here = errors.at("endpoint");
    if (!proto.hasEndpoint()) {
      return here.refuse("is missing");
    }
    long weight =
        proto.hasLoadBalancingWeight()
            ? Integer.toUnsignedLong(proto.getLoadBalancingWeight().getValue())
            : 1;
    if (weight == 0) {
      errors.at("load_balancing_weight").add("is 0; must be at least 1");
    }
    var endpoint = proto.getEndpoint();
    var own = new ArrayList<EndpointAddress>(1 + endpoint.getAdditionalAddressesCount());
    AddressDecoder.endpoint(endpoint.getAddress(), here.at("address")).ifPresent(own::add);
    for (int i = 0; i < endpoint.getAdditionalAddressesCount(); i++) {
      AddressDecoder.endpoint(
              endpoint.getAdditionalAddresses(i).getAddress(),
              here.at("additional_addresses", i).at("address"))
          .ifPresent(own::add);
    }
    if (own.isEmpty()) {
      return Optional.empty();
    }
    FieldErrors inMetadata = errors.at("metadata");
    WireMetadata metadata = WireMetadata.read(cut.part(), inMetadata);
    Optional<EndpointAddress> proxy =
        AddressDecoder.proxy(metadata, inMetadata).or(() -> localityProxy);
    return Optional.of(
        new Endpoint(
            proxy
                .map(via -> own.stream().map(address -> address.through(via)).toList())
                .orElse(own),
            health(proto.getHealthStatus()),
            weight,
            hostname(endpoint.getHostname()),
            metadata.text("envoy.lb", "hash_key"))); // A76 "Explicitly setting …"
  }

  static HealthStatus health(io.envoyproxy.envoy.config.core.v3.HealthStatus proto) {
    return switch (proto) {
      case UNKNOWN -> HealthStatus.UNKNOWN;
      case HEALTHY -> HealthStatus.HEALTHY;
      case DRAINING -> HealthStatus.DRAINING;
      case TIMEOUT -> HealthStatus.TIMEOUT;
      case DEGRADED -> HealthStatus.DEGRADED;
      // A health status that xDS does not define counts as unhealthy (A27).
      case UNHEALTHY, UNRECOGNIZED -> HealthStatus.UNHEALTHY;
    };
  }

  private static List<DropCategory> drops(ClusterLoadAssignment proto, FieldErrors errors) {
    return errors
        .at("policy")
        .each(
            "drop_overloads",
            proto.getPolicy().getDropOverloadsList(),
            (drop, here) ->
                MatcherDecoder.fraction(drop.getDropPercentage(), here.at("drop_percentage"))
                    .map(share -> new DropCategory(drop.getCategory(), share)));
  }

  /** Returns {@code text} if it can be an {@code :authority} (A81), else an empty string. */
  private static String hostname(String text) {
    for (int i = 0; i < text.length(); i++) { // runs for each endpoint, so no stream
      if (text.charAt(i) <= ' ' || text.charAt(i) > '~') {
        return "";
      }
    }
    return text;
  }
}
