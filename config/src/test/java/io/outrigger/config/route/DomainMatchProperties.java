package io.outrigger.config.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The match of an authority is the text of A28, written in another way. */
class DomainMatchProperties {
  @Conformance({"A28-01", "A28-02"})
  @Property(tries = 3000, seed = "20260101")
  void theBestDomainIsThatOfA28(
      @ForAll("hosts") List<VirtualHost> hosts, @ForAll("texts") List<String> authorities) {
    var table = new RouteTable("rc", hosts);

    for (String authority : authorities) {
      assertThat(table.virtualHostFor(authority).map(VirtualHost::name))
          .as("%s among %s", authority, hosts)
          .isEqualTo(scan(hosts, authority));
    }
  }

  /** The text of A28: kind before length, the first of equals. */
  private static Optional<String> scan(List<VirtualHost> hosts, String authority) {
    Optional<String> best = Optional.empty();
    int bestRank = 0;
    for (VirtualHost host : hosts) {
      for (String domain : host.domains()) {
        int rank = rank(domain, authority);
        if (rank > bestRank) {
          bestRank = rank;
          best = Optional.of(host.name());
        }
      }
    }
    return best;
  }

  private static int rank(String domain, String authority) {
    String rest = domain.replace("*", "");
    if (domain.length() - rest.length() > 1) {
      return 0;
    }
    if (!domain.contains("*")) {
      return domain.equalsIgnoreCase(authority) ? 4000 : 0;
    }
    if (domain.equals("*")) {
      return 1;
    }
    if (authority.length() <= rest.length()) {
      return 0;
    }
    if (domain.startsWith("*")) {
      int at = authority.length() - rest.length();
      return authority.substring(at).equalsIgnoreCase(rest) ? 2000 + rest.length() : 0;
    }
    if (domain.endsWith("*")) {
      String start = authority.substring(0, rest.length());
      return start.equalsIgnoreCase(rest) ? 1000 + rest.length() : 0;
    }
    return 0;
  }

  @Provide
  Arbitrary<List<VirtualHost>> hosts() {
    return texts()
        .list()
        .ofMaxSize(8)
        .map(
            hosts ->
                IntStream.range(0, hosts.size())
                    .mapToObj(i -> new VirtualHost("h" + i, hosts.get(i), List.of(), Map.of()))
                    .toList());
  }

  @Provide
  Arbitrary<List<String>> texts() {
    return Arbitraries.strings().withChars("aAb.*").ofMaxLength(4).list().ofMaxSize(8);
  }
}
