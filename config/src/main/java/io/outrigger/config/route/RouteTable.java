package io.outrigger.config.route;

import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.config.overlay.OverlayEffect;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A RouteConfiguration resource. A route table serves a given authority by one of its virtual
 * hosts. The class is not a record because it also holds a list of the domains.
 */
@AnyThread
public final class RouteTable implements Overlaid {
  private final String name;
  private final List<VirtualHost> virtualHosts;
  private final Map<String, RouteTable> byTarget;

  private final List<DomainMatch> domains;

  public RouteTable(String name, List<VirtualHost> virtualHosts) {
    this(name, virtualHosts, Map.of());
  }

  private RouteTable(
      String name, List<VirtualHost> virtualHosts, Map<String, RouteTable> byTarget) {
    this.name = name;
    this.virtualHosts = List.copyOf(virtualHosts);
    this.byTarget = Map.copyOf(byTarget);
    this.domains =
        virtualHosts.stream()
            .flatMap(host -> host.domains().stream().map(domain -> new DomainMatch(domain, host)))
            .toList();
  }

  public String name() {
    return name;
  }

  /**
   * Returns a table that is replaced by another table for some targets, because local policy may
   * differ between targets.
   */
  public RouteTable with(Map<String, RouteTable> tables) {
    return new RouteTable(name, virtualHosts, tables);
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
                overlay ->
                    visitor.accept(
                        name + "/" + host.name() + "/" + route.label(), overlay.effect()));
      }
    }
    byTarget.values().forEach(table -> table.visitEffects(visitor));
  }

  public List<VirtualHost> virtualHosts() {
    return virtualHosts;
  }

  /**
   * Returns the virtual host whose domain matches {@code authority} best (A28-01): an exact domain,
   * then the longest {@code *suffix}, then the longest {@code prefix*}, then {@code *}. Case is
   * ignored, and malformed patterns match nothing.
   */
  public Optional<VirtualHost> virtualHostFor(String authority) {
    return match(authority).map(DomainMatch::host);
  }

  public Optional<DomainMatch> match(String authority) {
    DomainMatch best = null;
    int bestRank = 0;
    for (int i = 0; i < domains.size(); i++) { // without the iterator of a for-each loop
      int rank = domains.get(i).rank(authority);
      if (rank > bestRank) { // of two hosts with the same domain the first wins
        best = domains.get(i);
        bestRank = rank;
      }
    }
    return Optional.ofNullable(best);
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof RouteTable that
            && name.equals(that.name)
            && virtualHosts.equals(that.virtualHosts)
            && byTarget.equals(that.byTarget));
  }

  @Override
  public int hashCode() {
    return 31 * (31 * name.hashCode() + virtualHosts.hashCode()) + byTarget.hashCode();
  }

  @Override
  public String toString() {
    return "RouteTable[name=" + name + ", virtualHosts=" + virtualHosts + "]";
  }
}
