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
 * The connections that a filter chain is for (A36 "FilterChainMatch"). An empty set does not
 * restrict the connections.
 *
 * @param destinations the ranges of the connection's local address
 * @param transport the {@code transport_protocol}; may be empty
 * @param unmatched the criteria that no connection fulfills, because their fields depend on
 *     features that A36 excludes; for example {@code server_names: a}
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

  /** The {@code transport_protocol} of connections whose protocol is not known yet. */
  public static final String RAW_BUFFER = "raw_buffer";

  private static final int NO_MATCH = -1;

  /** A restriction of the peer's address. */
  public enum SourceType {
    ANY,
    /** The peer's address is a loopback address or equals the local address. */
    SAME_IP_OR_LOOPBACK,
    /** The opposite of {@link #SAME_IP_OR_LOOPBACK}. */
    EXTERNAL
  }

  /**
   * The fields that match no connection unless they are empty. Two chains that differ only in such
   * a field are no duplicates, so the fields are kept.
   *
   * @param destinationPorts the {@code destination_port}, at most one
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
   * Whether a connection could match both this chain and the other chain equally well, which makes
   * the chains duplicates. Such a connection exists if the two Cartesian products of A36 share an
   * element, hence if the two chains share a value of each field.
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
   * Returns the chain that matches a connection best: by destination prefix, then by transport
   * protocol, source type, source prefix and source port. Each step keeps the chains that are the
   * most specific in its field (A36).
   */
  static Optional<ServerFilterChain> best(
      List<ServerFilterChain> chains, IpAddress local, IpAddress peer, int peerPort) {
    boolean isNear = peer.isLoopback() || peer.equals(local);
    List<ServerFilterChain> left = chains;
    left = mostSpecific(left, match -> match.canMatch() ? 0 : NO_MATCH);
    left = mostSpecific(left, match -> prefix(match.destinations, local));
    left = mostSpecific(left, FilterChainMatch::ofTransport);
    left = mostSpecific(left, match -> match.ofSourceType(isNear));
    left = mostSpecific(left, match -> prefix(match.sources, peer));
    left = mostSpecific(left, match -> match.ofSourcePort(peerPort));
    return left.stream().findFirst(); // there is at most one, since duplicates are refused
  }

  /**
   * Returns the chains for which {@code step} is largest, without those for which it is {@link
   * #NO_MATCH}.
   */
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
   * An empty set is less specific than a range of length 0, because that range restricts the IP
   * version.
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

  /** Whether any connection can match this chain, whatever other chains match. */
  private boolean canMatch() {
    return unmatched.equals(Unmatched.NONE)
        && (transport.isEmpty() || transport.equals(RAW_BUFFER));
  }

  private int ofTransport() {
    return transport.isEmpty() ? 0 : 1;
  }

  private int ofSourceType(boolean isNear) {
    return switch (sourceType) {
      case ANY -> 0;
      case SAME_IP_OR_LOOPBACK -> isNear ? 1 : NO_MATCH;
      case EXTERNAL -> isNear ? NO_MATCH : 1;
    };
  }

  private int ofSourcePort(int port) {
    return sourcePorts.isEmpty() ? 0 : sourcePorts.contains(port) ? 1 : NO_MATCH;
  }
}
