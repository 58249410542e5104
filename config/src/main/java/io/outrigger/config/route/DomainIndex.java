package io.outrigger.config.route;

import io.outrigger.base.AnyThread;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An immutable index of the domains of virtual hosts, which finds the best of thousands of domains
 * without a scan (A28-01). When two hosts have the same domain, the first host wins.
 */
@AnyThread
final class DomainIndex {
  private final Map<String, DomainMatch> exact = new HashMap<>();
  private final Affixes suffixes = new Affixes();
  private final Affixes prefixes = new Affixes();
  private final @Nullable DomainMatch any;

  DomainIndex(List<VirtualHost> hosts) {
    DomainMatch first = null;
    for (VirtualHost host : hosts) {
      for (String domain : host.domains()) {
        if (domain.equals("*")) {
          first = first == null ? new DomainMatch(domain, host) : first;
        } else {
          add(domain.toLowerCase(Locale.ROOT), new DomainMatch(domain, host));
        }
      }
    }
    any = first;
  }

  private void add(String domain, DomainMatch host) {
    int star = domain.indexOf('*');
    int last = domain.length() - 1;
    if (star < 0) {
      exact.putIfAbsent(domain, host);
    } else if (domain.indexOf('*', star + 1) >= 0) {
      return; // a malformed domain matches no authority (A28-02)
    } else if (star == 0) {
      suffixes.add(domain.substring(1), host);
    } else if (star == last) {
      prefixes.add(domain.substring(0, last), host);
    }
  }

  /**
   * Returns the host with the best match, in this order: an exact domain, the longest suffix, the
   * longest prefix, then {@code *}.
   */
  Optional<DomainMatch> bestFor(String authority) {
    String wanted = authority.toLowerCase(Locale.ROOT);
    DomainMatch best = exact.get(wanted);
    if (best == null) {
      best = suffixes.longest(wanted, true);
    }
    if (best == null) {
      best = prefixes.longest(wanted, false);
    }
    return Optional.ofNullable(best == null ? any : best);
  }

  /**
   * Maps domains with a star at one end to their hosts, by the text without the star. The star
   * matches at least one character.
   */
  private static final class Affixes {
    private final Map<String, DomainMatch> hosts = new HashMap<>();
    private final TreeSet<Integer> lengths = new TreeSet<>(Comparator.reverseOrder());

    void add(String affix, DomainMatch host) {
      hosts.putIfAbsent(affix, host);
      lengths.add(affix.length());
    }

    @Nullable DomainMatch longest(String authority, boolean atEnd) {
      int all = authority.length();
      for (int length : lengths) {
        if (length < all) {
          String part = atEnd ? authority.substring(all - length) : authority.substring(0, length);
          DomainMatch host = hosts.get(part);
          if (host != null) {
            return host;
          }
        }
      }
      return null;
    }
  }
}
