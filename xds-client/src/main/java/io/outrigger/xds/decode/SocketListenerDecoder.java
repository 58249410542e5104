package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.core.v3.TrafficDirection;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.outrigger.base.CidrRange;
import io.outrigger.base.IpAddress;
import io.outrigger.config.listener.FilterChainMatch;
import io.outrigger.config.listener.FilterChainMatch.SourceType;
import io.outrigger.config.listener.FilterChainMatch.Unmatched;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.xds.decode.ConnectionManagerDecoder.Manager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Decodes a {@code Listener} of a server (A36 "xDS Protocol" and "FilterChainMatch"). */
final class SocketListenerDecoder {
  private static final int MAX_PORT = 65_535;

  private final DecodeContext context;
  private final Map<String, String> pathsByName = new HashMap<>();

  private SocketListenerDecoder(DecodeContext context) {
    this.context = context;
  }

  static Optional<SocketListener> decode(
      Listener proto, DecodeContext context, FieldErrors errors) {
    return new SocketListenerDecoder(context).listener(proto, errors);
  }

  private Optional<SocketListener> listener(Listener proto, FieldErrors errors) {
    if (proto.getListenerFiltersCount() > 0) {
      errors.at("listener_filters").add("is not supported; must be empty");
    }
    if (proto.getUseOriginalDst().getValue()) {
      errors.at("use_original_dst").add("is not supported; must be absent or false");
    }
    if (proto.hasFilterChainMatcher()) {
      errors.at("filter_chain_matcher").add("is not supported; use filter_chain_match");
    }
    if (proto.getTrafficDirection() == TrafficDirection.OUTBOUND) {
      errors.at("traffic_direction").add("must not be OUTBOUND, since requests come in here");
    }
    if (proto.getFilterChainsCount() == 0 && !proto.hasDefaultFilterChain()) {
      errors.at("filter_chains").add("is empty, and default_filter_chain is missing; give a chain");
    }
    boolean hasAddress = checkAddress(proto, errors.at("address"));
    List<ServerFilterChain> chains = chains(proto.getFilterChainsList(), errors);
    Optional<ServerFilterChain> defaultChain =
        proto.hasDefaultFilterChain()
            ? chain(
                proto.getDefaultFilterChain(),
                "default_filter_chain",
                errors.at("default_filter_chain"))
            : Optional.empty();
    if (!hasAddress) {
      return Optional.empty();
    }
    SocketAddress socket = proto.getAddress().getSocketAddress();
    return Optional.of(
        new SocketListener(
            proto.getName(),
            IpAddress.canonical(socket.getAddress()).orElse(socket.getAddress()),
            socket.getPortValue(),
            chains,
            defaultChain));
  }

  /** Port 0, which is also the value of an absent port, matches every port. */
  private static boolean checkAddress(Listener proto, FieldErrors errors) {
    if (!AddressDecoder.requireSocketAddress(proto.getAddress(), errors)) {
      return false;
    }
    SocketAddress socket = proto.getAddress().getSocketAddress();
    FieldErrors here = errors.at("socket_address");
    if (socket.getProtocol() != SocketAddress.Protocol.TCP) {
      here.at("protocol").add("must be TCP");
    }
    if (!socket.getNamedPort().isEmpty()) {
      here.at("named_port").add("is not supported; use port_value");
    }
    if (Integer.compareUnsigned(socket.getPortValue(), MAX_PORT) > 0) {
      here.at("port_value")
          .add(Integer.toUnsignedString(socket.getPortValue()) + " is above " + MAX_PORT);
    }
    return true;
  }

  private List<ServerFilterChain> chains(List<FilterChain> protos, FieldErrors errors) {
    List<ServerFilterChain> chains = new ArrayList<>();
    for (int i = 0; i < protos.size(); i++) {
      FieldErrors here = errors.at("filter_chains", i);
      Optional<ServerFilterChain> chain = chain(protos.get(i), "filter_chains[" + i + "]", here);
      if (chain.isEmpty()) {
        continue;
      }
      FilterChainMatch match = chain.get().match();
      if (chains.stream().anyMatch(earlier -> earlier.match().duplicates(match))) {
        here.at("filter_chain_match")
            .add("matches the same connections as an earlier chain; give each chain its own");
      }
      chains.add(chain.get());
    }
    return chains;
  }

  private Optional<ServerFilterChain> chain(FilterChain proto, String path, FieldErrors errors) {
    String name = proto.getName();
    String other = name.isEmpty() ? null : pathsByName.putIfAbsent(name, path);
    if (other != null) {
      errors.at("name").add("is " + quoted(name) + " as in " + other + "; give each its own name");
    }
    Optional<FilterChainMatch> match =
        match(proto.getFilterChainMatch(), errors.at("filter_chain_match"));
    Optional<DownstreamTls> tls = TransportSecurityDecoder.ofServer(proto, context, errors);
    Optional<Manager> manager = manager(proto.getFiltersList(), errors);
    return match.flatMap(
        connections ->
            manager.map(
                http ->
                    new ServerFilterChain(name, connections, tls, http.routes(), http.filters())));
  }

  private Optional<Manager> manager(List<Filter> protos, FieldErrors errors) {
    if (protos.size() != 1) {
      return errors
          .at("filters")
          .refuse(
              "has " + protos.size() + " entries; must be one, " + ConnectionManagerDecoder.TYPE);
    }
    FieldErrors here = errors.at("filters", 0);
    if (protos.get(0).getName().isEmpty()) {
      here.at("name").add("is empty");
    }
    return manager(protos.get(0), here.at("typed_config"));
  }

  private Optional<Manager> manager(Filter filter, FieldErrors errors) {
    Optional<TypedConfig> typed = TypedConfig.of(filter.getTypedConfig(), errors);
    if (typed.isEmpty()) {
      return Optional.empty();
    }
    if (!typed.get().typeName().equals(ConnectionManagerDecoder.TYPE)) {
      return errors.refuse(
          "holds " + typed.get().quotedType() + "; must be " + ConnectionManagerDecoder.TYPE);
    }
    return typed
        .get()
        .readStrictly(HttpConnectionManager.getDefaultInstance(), errors)
        .flatMap(
            proto -> {
              boolean isStruct = typed.get().struct().isPresent();
              ByteString bytes = isStruct ? proto.toByteString() : typed.get().bytes();
              return ConnectionManagerDecoder.decode(
                  proto, bytes, FilterDecoders.SERVER, context, errors);
            });
  }

  /** A value that a criterion lists twice is an error, because both copies would match. */
  private static Optional<FilterChainMatch> match(
      io.envoyproxy.envoy.config.listener.v3.FilterChainMatch proto, FieldErrors errors) {
    int before = errors.count();
    Set<Integer> destinationPorts =
        proto.hasDestinationPort() ? Set.of(proto.getDestinationPort().getValue()) : Set.of();
    var unmatched =
        new Unmatched(
            destinationPorts,
            unique(proto.getServerNamesList(), errors.at("server_names")),
            unique(proto.getApplicationProtocolsList(), errors.at("application_protocols")));
    if (proto.getDirectSourcePrefixRangesCount() > 0) {
      errors.at("direct_source_prefix_ranges").add("is not supported; use source_prefix_ranges");
    }
    Set<CidrRange> destinations = ranges(proto.getPrefixRangesList(), "prefix_ranges", errors);
    Set<CidrRange> sources =
        ranges(proto.getSourcePrefixRangesList(), "source_prefix_ranges", errors);
    Set<Integer> ports = unique(proto.getSourcePortsList(), errors.at("source_ports"));
    Optional<SourceType> sourceType =
        switch (proto.getSourceType()) {
          case ANY -> Optional.of(SourceType.ANY);
          case SAME_IP_OR_LOOPBACK -> Optional.of(SourceType.SAME_IP_OR_LOOPBACK);
          case EXTERNAL -> Optional.of(SourceType.EXTERNAL);
          case UNRECOGNIZED -> Optional.empty();
        };
    if (sourceType.isEmpty()) {
      errors.at("source_type").add("must be ANY, SAME_IP_OR_LOOPBACK or EXTERNAL");
    }
    return errors.count() > before
        ? Optional.empty()
        : sourceType.map(
            type ->
                new FilterChainMatch(
                    destinations, proto.getTransportProtocol(), type, sources, ports, unmatched));
  }

  private static Set<CidrRange> ranges(
      List<io.envoyproxy.envoy.config.core.v3.CidrRange> protos, String field, FieldErrors errors) {
    Set<CidrRange> ranges = new HashSet<>();
    for (int i = 0; i < protos.size(); i++) {
      FieldErrors here = errors.at(field, i);
      Optional<CidrRange> range = AddressDecoder.range(protos.get(i), here);
      if (range.isPresent() && !ranges.add(range.get())) {
        here.add("is the same range as an earlier one");
      }
    }
    return ranges;
  }

  private static <T> Set<T> unique(List<T> values, FieldErrors errors) {
    Set<T> unique = new HashSet<>(values);
    if (unique.size() < values.size()) {
      errors.add("has a value twice");
    }
    return unique;
  }
}
