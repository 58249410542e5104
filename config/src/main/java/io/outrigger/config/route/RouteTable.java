package io.outrigger.config.route;

import io.outrigger.config.overlay.Overlaid;
import io.outrigger.config.overlay.OverlayEffect;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A RouteConfiguration resource.
 *
 * @param byTarget the route tables of targets for which local policy has special rules
 */
public record RouteTable(
    String name, List<VirtualHost> virtualHosts, Map<String, RouteTable> byTarget)
    implements Overlaid {
  public RouteTable {
    virtualHosts = List.copyOf(virtualHosts);
    byTarget = Map.copyOf(byTarget);
  }

  public RouteTable(String name, List<VirtualHost> virtualHosts) {
    this(name, virtualHosts, Map.of());
  }

  @Override
  public RouteTable forTarget(String target) {
    RouteTable other = byTarget.get(target);
    return other == null ? this : other;
  }

  @Override
  public void visitEffects(BiConsumer<String, OverlayEffect> visitor) {
    for (VirtualHost host : virtualHosts) {
      for (Route route : host.routes()) {
        route
            .overlay()
            .ifPresent(
                effect -> visitor.accept(name + "/" + host.name() + "/" + route.label(), effect));
      }
    }
  }

  /** Returns the virtual host whose domain matches {@code authority} best (A28-01). */
  public Optional<VirtualHost> virtualHostFor(String authority) {
    return match(authority).map(DomainMatch::host);
  }

  public Optional<DomainMatch> match(String authority) {
    DomainMatch best = null;
    int bestRank = 0;
    for (VirtualHost host : virtualHosts) {
      for (String domain : host.domains()) {
        int rank = DomainMatch.rank(domain, authority);
        if (rank > bestRank) { // of equal domains, the first wins
          best = new DomainMatch(domain, host);
          bestRank = rank;
        }
      }
    }
    return Optional.ofNullable(best);
  }
}
