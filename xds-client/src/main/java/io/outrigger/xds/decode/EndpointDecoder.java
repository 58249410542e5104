package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.outrigger.base.Count;
import io.outrigger.base.ListChange;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.xds.decode.RecentEndpoints.Known;
import io.outrigger.xds.decode.WireFields.Cut;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Decodes {@code ClusterLoadAssignment} (A27 "ClusterLoadAssignment Proto", A61). The result
 * contains endpoints of every health status, because a stateful session may use an endpoint that
 * load balancing skips.
 */
final class EndpointDecoder {
  static final int[] METADATA = {
    ClusterLoadAssignment.ENDPOINTS_FIELD_NUMBER,
    LocalityLbEndpoints.LB_ENDPOINTS_FIELD_NUMBER,
    LbEndpoint.METADATA_FIELD_NUMBER
  };

  private static final int[] LB_ENDPOINTS = {
    ClusterLoadAssignment.ENDPOINTS_FIELD_NUMBER, LocalityLbEndpoints.LB_ENDPOINTS_FIELD_NUMBER
  };

  private static final int[] LOCALITY_METADATA = {
    ClusterLoadAssignment.ENDPOINTS_FIELD_NUMBER, LocalityLbEndpoints.METADATA_FIELD_NUMBER
  };

  /**
   * The parts of a ClusterLoadAssignment. Two parts are separated from the rest: the endpoints,
   * which are decoded one by one, and the metadata of the localities, whose map fields {@link
   * WireFields} reads.
   *
   * @param rest the resource without its endpoints and without the metadata of its localities
   * @param endpoints the bytes of the endpoints of each locality
   */
  record Parts(ClusterLoadAssignment rest, List<List<ByteString>> endpoints, Cut metadata) {
    static Parts parse(ByteString bytes) throws InvalidProtocolBufferException {
      Cut endpoints = WireFields.cut(bytes, LB_ENDPOINTS);
      Cut metadata = WireFields.cut(endpoints.remainder(), LOCALITY_METADATA);
      var rest = ClusterLoadAssignment.parseFrom(metadata.remainder());
      List<List<ByteString>> all = new ArrayList<>();
      for (int i = 0; i < rest.getEndpointsCount(); i++) {
        all.add(endpoints.parts().getOrDefault(List.of(i), List.of()));
      }
      return new Parts(rest, all, metadata);
    }

    String name() {
      return rest.getClusterName();
    }

    /** Calls {@code ofLocality} with the index of each weighted locality, and joins the results. */
    private <T> List<T> all(IntFunction<List<T>> ofLocality) {
      List<T> all = new ArrayList<>();
      for (int i = 0; i < endpoints.size(); i++) {
        if (weight(i) > 0) {
          all.addAll(ofLocality.apply(i));
        }
      }
      return all;
    }

    private long weight(int locality) {
      return Integer.toUnsignedLong(
          rest.getEndpoints(locality).getLoadBalancingWeight().getValue());
    }

    private long priority(int locality) {
      return Integer.toUnsignedLong(rest.getEndpoints(locality).getPriority());
    }
  }

  private final Parts parts;
  private final Iterator<@Nullable Endpoint> known;
  private final Set<EndpointAddress> addresses = new HashSet<>();

  private EndpointDecoder(Parts parts, List<@Nullable Endpoint> known) {
    this.parts = parts;
    this.known = known.iterator();
  }

  static Optional<EndpointSet> decode(Parts parts, DecodeContext context, FieldErrors errors)
      throws InvalidProtocolBufferException {
    Optional<Known> before = context.recent().find(parts.name());
    List<@Nullable Endpoint> known = before.isPresent() ? known(before.get(), parts) : List.of();
    return Optional.of(new EndpointDecoder(parts, known).decode(errors));
  }

  /** Returns, for each new endpoint, the equal previous endpoint, or null if there is none. */
  private static List<@Nullable Endpoint> known(Known before, Parts next)
      throws InvalidProtocolBufferException {
    Parts last = Parts.parse(before.bytes());
    List<ByteString> bytes = last.all(last.endpoints::get);
    List<Iterator<LocalityEndpoints>> priorities =
        before.set().priorities().stream().map(List::iterator).toList();
    List<Endpoint> endpoints =
        last.all(i -> priorities.get((int) last.priority(i)).next().endpoints());
    if (bytes.size() != endpoints.size()) {
      return List.of(); // some are left out
    }
    var change = ListChange.between(bytes, next.all(next.endpoints::get));
    int tail = endpoints.size() - change.tail();
    Map<ByteString, Endpoint> moved = new HashMap<>();
    for (int i = change.head(); i < tail; i++) {
      moved.put(bytes.get(i), endpoints.get(i));
    }
    List<@Nullable Endpoint> known = new ArrayList<>(endpoints.subList(0, change.head()));
    change.added().forEach(each -> known.add(moved.get(each)));
    known.addAll(endpoints.subList(tail, endpoints.size()));
    return known;
  }

  private EndpointSet decode(FieldErrors errors) throws InvalidProtocolBufferException {
    var priorities = new TreeMap<Long, List<LocalityEndpoints>>();
    var localities = new HashMap<Long, Set<Locality>>(); // by priority
    int withoutWeight = 0;
    int withoutPort = 0;
    for (int i = 0; i < parts.endpoints().size(); i++) {
      LocalityLbEndpoints locality = parts.rest().getEndpoints(i);
      FieldErrors here = errors.at("endpoints", i);
      if (!locality.hasLocality()) {
        here.at("locality").add("is missing; an empty message {} will do");
      }
      if (parts.weight(i) == 0) {
        here.at("load_balancing_weight").ignore("is 0 or missing; the locality is left out"); // A27
        withoutWeight++;
        continue;
      }
      long priority = parts.priority(i);
      List<ByteString> endpoints = parts.endpoints().get(i);
      LocalityEndpoints decoded = locality(locality, endpoints, parts.metadata().part(i), here);
      withoutPort += endpoints.size() - decoded.endpoints().size();
      if (!localities.computeIfAbsent(priority, p -> new HashSet<>()).add(decoded.locality())) {
        String place = decoded.locality() + " (region/zone/sub_zone)";
        here.at("locality").add(place + " occurs twice in priority " + priority);
      }
      priorities.computeIfAbsent(priority, p -> new ArrayList<>()).add(decoded);
    }
    checkPriorities(priorities, errors.at("endpoints"));
    return new EndpointSet(
        parts.name(),
        List.copyOf(priorities.values()),
        drops(parts.rest(), errors),
        leftOut(withoutWeight, withoutPort));
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
      List<ByteString> all,
      @Nullable ByteString metadata,
      FieldErrors errors)
      throws InvalidProtocolBufferException {
    var endpoints = new ArrayList<Endpoint>(all.size());
    long weights = 0;
    FieldErrors here = errors.at("metadata");
    Optional<EndpointAddress> proxy = AddressDecoder.proxy(WireMetadata.read(metadata, here), here);
    for (int i = 0; i < all.size(); i++) {
      Endpoint endpoint = known.hasNext() ? known.next() : null;
      if (endpoint == null || proxy.isPresent() || endpoint.address().proxy().isPresent()) {
        endpoint = endpoint(all.get(i), proxy, errors.at("lb_endpoints", i)).orElse(null);
      }
      if (endpoint != null) {
        endpoints.add(endpoint);
        weights += endpoint.weight();
        checkUnique(endpoint, errors, i);
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

  private void checkUnique(Endpoint endpoint, FieldErrors errors, int index) {
    for (EndpointAddress address : endpoint.addresses()) {
      if (!addresses.add(address.bare())) {
        errors
            .at("lb_endpoints", index)
            .at("endpoint")
            .at("address")
            .add("duplicate address " + address.bare());
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
    Optional<EndpointAddress> ownProxy = AddressDecoder.proxy(metadata, inMetadata);
    Optional<EndpointAddress> proxy = ownProxy.isPresent() ? ownProxy : localityProxy;
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

  /** Returns the text if it can be an {@code :authority} (A81), else an empty string. */
  private static String hostname(String text) {
    for (int i = 0; i < text.length(); i++) { // runs for each endpoint, so no stream
      if (text.charAt(i) <= ' ' || text.charAt(i) > '~') {
        return "";
      }
    }
    return text;
  }
}
