package io.outrigger.config.route;

import io.outrigger.base.AnyThread;
import java.util.List;
import java.util.Optional;

/**
 * A RouteConfiguration: virtual hosts, of which one serves a given authority. A record but for the
 * index of its domains, which follows from the rest.
 */
@AnyThread
public final class RouteTable {
  private final String name;
  private final List<VirtualHost> virtualHosts;
  private final DomainIndex domains;

  public RouteTable(String name, List<VirtualHost> virtualHosts) {
    this.name = name;
    this.virtualHosts = List.copyOf(virtualHosts);
    this.domains = new DomainIndex(this.virtualHosts);
  }

  public String name() {
    return name;
  }

  public List<VirtualHost> virtualHosts() {
    return virtualHosts;
  }

  /**
   * The virtual host whose domain fits {@code authority} best (A28-01): an exact domain, then the
   * longest {@code *suffix}, then the longest {@code prefix*}, then {@code *}; letter case does not
   * matter. Malformed patterns fit nothing.
   */
  public Optional<VirtualHost> virtualHostFor(String authority) {
    return match(authority).map(DomainMatch::host);
  }

  /** The same, with the domain that won. */
  public Optional<DomainMatch> match(String authority) {
    return domains.bestFor(authority);
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof RouteTable that
            && name.equals(that.name)
            && virtualHosts.equals(that.virtualHosts));
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + virtualHosts.hashCode();
  }

  @Override
  public String toString() {
    return "RouteTable[name=" + name + ", virtualHosts=" + virtualHosts + "]";
  }
}
