package io.outrigger.config.listener;

import io.outrigger.base.CidrRange;
import io.outrigger.base.IpAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * The condition on the connections of a filter chain (A36 "FilterChainMatch"). An empty set matches
 * every connection.
 *
 * @param destinations ranges of which one must contain the connection's local address
 * @param transport the {@code transport_protocol}; may be empty
 */
public record FilterChainMatch(
    Set<CidrRange> destinations,
    String transport,
    SourceType sourceType,
    Set<CidrRange> sources,
    Set<Integer> sourcePorts,
    Unmatched unmatched) {
  public static final FilterChainMatch ANY =
      new FilterChainMatch(Set.of(), "", SourceType.ANY, Set.of(), Set.of(), Unmatched.NONE);

  public static final String RAW_BUFFER = "raw_buffer";

  private static final int NO_MATCH = -1;

  /** A condition on the peer's address. */
  public enum SourceType {
    ANY,
    /** The peer's address is a loopback address or equals the local address. */
    SAME_IP_OR_LOOPBACK,
    /** The opposite of {@link #SAME_IP_OR_LOOPBACK}. */
    EXTERNAL
  }

  /**
   * The fields of unsupported conditions: a filter chain that sets such a field matches no
   * connection (A36). Two chains that differ only in an unsupported condition are not duplicates.
   */
  public record Unmatched(
      Set<Integer> destinationPorts, Set<String> serverNames, Set<String> applicationProtocols) {
    static final Unmatched NONE = new Unmatched(Set.of(), Set.of(), Set.of());

    public Unmatched {
      destinationPorts = Set.copyOf(destinationPorts);
      serverNames = Set.copyOf(serverNames);
      applicationProtocols = Set.copyOf(applicationProtocols);
    }
  }

  public FilterChainMatch {
    destinations = Set.copyOf(destinations);
    sources = Set.copyOf(sources);
    sourcePorts = Set.copyOf(sourcePorts);
  }

  /**
   * Whether the two chains are duplicates: a connection could match both equally well. According to
   * A36, chains are duplicates if the Cartesian products of their fields have an element in common,
   * that is, if the chains share a value in every field.
   */
  public boolean duplicates(FilterChainMatch other) {
    return transport.equals(other.transport)
        && sourceType == other.sourceType
        && share(destinations, other.destinations)
        && share(sources, other.sources)
        && share(sourcePorts, other.sourcePorts)
        && share(unmatched.destinationPorts, other.unmatched.destinationPorts)
        && share(unmatched.serverNames, other.unmatched.serverNames)
        && share(unmatched.applicationProtocols, other.unmatched.applicationProtocols);
  }

  private static boolean share(Set<?> some, Set<?> others) {
    return some.isEmpty() ? others.isEmpty() : !Collections.disjoint(some, others);
  }

  /**
   * Returns the chain that matches a connection best. The fields are compared in this order:
   * destination prefix, transport protocol, source type, source prefix, source port (A36). Each
   * comparison keeps only the chains with the most specific match.
   */
  static Optional<ServerFilterChain> best(
      List<ServerFilterChain> chains, IpAddress local, IpAddress peer, int peerPort) {
    boolean isSameIpOrLoopback = peer.isLoopback() || peer.equals(local);
    List<ServerFilterChain> left = chains;
    left = mostSpecific(left, match -> match.canMatch() ? 0 : NO_MATCH);
    left = mostSpecific(left, match -> prefix(match.destinations, local));
    left = mostSpecific(left, FilterChainMatch::ofTransport);
    left = mostSpecific(left, match -> match.ofSourceType(isSameIpOrLoopback));
    left = mostSpecific(left, match -> prefix(match.sources, peer));
    left = mostSpecific(left, match -> match.ofSourcePort(peerPort));
    return left.stream().findFirst(); // at most one, because duplicates are refused
  }

  /** Returns the matching chains for which {@code step} returns the greatest number. */
  private static List<ServerFilterChain> mostSpecific(
      List<ServerFilterChain> chains, ToIntFunction<FilterChainMatch> step) {
    int best = 0;
    List<ServerFilterChain> left = new ArrayList<>();
    for (ServerFilterChain chain : chains) {
      int specificity = step.applyAsInt(chain.match());
      if (specificity > best) {
        best = specificity;
        left.clear();
      }
      if (specificity == best) {
        left.add(chain);
      }
    }
    return left;
  }

  /**
   * Returns a number that increases with the length of the longest range that contains the address.
   * A prefix of length 0 ranks above an empty set, because the prefix restricts the IP version.
   */
  private static int prefix(Set<CidrRange> ranges, IpAddress address) {
    int longest = ranges.isEmpty() ? 0 : NO_MATCH;
    for (CidrRange range : ranges) {
      if (range.contains(address)) {
        longest = Math.max(longest, 1 + range.length());
      }
    }
    return longest;
  }

  private boolean canMatch() {
    return unmatched.equals(Unmatched.NONE)
        && (transport.isEmpty() || transport.equals(RAW_BUFFER));
  }

  private int ofTransport() {
    return transport.isEmpty() ? 0 : 1;
  }

  private int ofSourceType(boolean isSameIpOrLoopback) {
    return switch (sourceType) {
      case ANY -> 0;
      case SAME_IP_OR_LOOPBACK -> isSameIpOrLoopback ? 1 : NO_MATCH;
      case EXTERNAL -> isSameIpOrLoopback ? NO_MATCH : 1;
    };
  }

  private int ofSourcePort(int port) {
    return sourcePorts.isEmpty() ? 0 : sourcePorts.contains(port) ? 1 : NO_MATCH;
  }
}
