package io.outrigger.config.route;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The domains of virtual hosts by what they fit, so that the best of thousands is found at once
 * (A28-01). Where two hosts have the same domain the first of them has it. Immutable.
 */
final class DomainIndex {
  private final Map<String, VirtualHost> exact = new HashMap<>();
  private final Affixes suffixes = new Affixes();
  private final Affixes prefixes = new Affixes();
  private @Nullable VirtualHost any;

  DomainIndex(List<VirtualHost> hosts) {
    for (VirtualHost host : hosts) {
      for (String domain : host.domains()) {
        add(domain.toLowerCase(Locale.ROOT), host);
      }
    }
  }

  private void add(String domain, VirtualHost host) {
    int star = domain.indexOf('*');
    int last = domain.length() - 1;
    if (star < 0) {
      exact.putIfAbsent(domain, host);
    } else if (domain.indexOf('*', star + 1) >= 0) {
      return; // malformed: fits nothing (A28-02)
    } else if (domain.length() == 1) {
      any = any == null ? host : any;
    } else if (star == 0) {
      suffixes.add(domain.substring(1), host);
    } else if (star == last) {
      prefixes.add(domain.substring(0, last), host);
    }
  }

  /** The host whose domain fits best: exact, longest suffix, longest prefix, any. */
  Optional<VirtualHost> bestFor(String authority) {
    String wanted = authority.toLowerCase(Locale.ROOT);
    VirtualHost best = exact.get(wanted);
    if (best == null) {
      best = suffixes.longest(wanted, true);
    }
    if (best == null) {
      best = prefixes.longest(wanted, false);
    }
    return Optional.ofNullable(best == null ? any : best);
  }

  /** Beginnings, or ends, of authorities; the star stands for at least one letter. */
  private static final class Affixes {
    private final Map<String, VirtualHost> hosts = new HashMap<>();
    private final TreeSet<Integer> lengths = new TreeSet<>(Comparator.reverseOrder());

    void add(String affix, VirtualHost host) {
      hosts.putIfAbsent(affix, host);
      lengths.add(affix.length());
    }

    @Nullable VirtualHost longest(String authority, boolean atEnd) {
      int all = authority.length();
      for (int length : lengths) {
        if (length < all) {
          String part = atEnd ? authority.substring(all - length) : authority.substring(0, length);
          VirtualHost host = hosts.get(part);
          if (host != null) {
            return host;
          }
        }
      }
      return null;
    }
  }
}
