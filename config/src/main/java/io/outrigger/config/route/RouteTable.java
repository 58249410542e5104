package io.outrigger.config.route;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A RouteConfiguration: virtual hosts, of which one serves a given authority. */
public record RouteTable(String name, List<VirtualHost> virtualHosts) {
  public RouteTable {
    virtualHosts = List.copyOf(virtualHosts);
  }

  /**
   * The virtual host whose domain fits {@code authority} best (A28-01): an exact domain, then the
   * longest {@code *suffix}, then the longest {@code prefix*}, then {@code *}; letter case does not
   * matter. Malformed patterns fit nothing.
   */
  public Optional<VirtualHost> virtualHostFor(String authority) {
    String wanted = authority.toLowerCase(Locale.ROOT);
    VirtualHost best = null;
    long bestRank = 0;
    for (VirtualHost host : virtualHosts) {
      for (String domain : host.domains()) {
        long rank = rank(domain.toLowerCase(Locale.ROOT), wanted);
        if (rank > bestRank) {
          bestRank = rank;
          best = host;
        }
      }
    }
    return Optional.ofNullable(best);
  }

  /** How well {@code domain} fits: 0 not at all, else kind in the high bits, length in the low. */
  private static long rank(String domain, String authority) {
    int star = domain.indexOf('*');
    if (star < 0) {
      return domain.equals(authority) ? 4L << 32 : 0;
    }
    if (domain.length() == 1) {
      return 1L << 32;
    }
    if (domain.indexOf('*', star + 1) >= 0) {
      return 0;
    }
    if (star == 0) {
      String suffix = domain.substring(1);
      return authority.length() > suffix.length() && authority.endsWith(suffix)
          ? (3L << 32) + suffix.length()
          : 0;
    }
    if (star == domain.length() - 1) {
      String prefix = domain.substring(0, star);
      return authority.length() > prefix.length() && authority.startsWith(prefix)
          ? (2L << 32) + prefix.length()
          : 0;
    }
    return 0;
  }
}
