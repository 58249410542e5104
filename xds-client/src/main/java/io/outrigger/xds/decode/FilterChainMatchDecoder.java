package io.outrigger.xds.decode;

import io.outrigger.base.CidrRange;
import io.outrigger.config.listener.FilterChainMatch;
import io.outrigger.config.listener.FilterChainMatch.SourceType;
import io.outrigger.config.listener.FilterChainMatch.Unmatched;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decodes {@code FilterChainMatch} (A36 "FilterChainMatch"). A value that a field lists twice makes
 * the match a duplicate of itself, which is an error as for two chains.
 */
final class FilterChainMatchDecoder {
  private FilterChainMatchDecoder() {}

  static Optional<FilterChainMatch> decode(
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
