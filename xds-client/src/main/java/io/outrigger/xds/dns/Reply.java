package io.outrigger.xds.dns;

import io.outrigger.base.AnyThread;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/** The result of a query for the addresses of one address family of a name. */
@AnyThread
sealed interface Reply {
  /**
   * The name has these addresses, at least one.
   *
   * @param ttl the shortest time for which a record of the answer may be cached
   * @param isPartial whether the other family could not be looked up
   */
  record Found(List<InetAddress> addresses, Duration ttl, boolean isPartial) implements Reply {
    public Found {
      addresses = List.copyOf(addresses);
    }

    Found(List<InetAddress> addresses, Duration ttl) {
      this(addresses, ttl, false);
    }
  }

  /**
   * The server reports that the name has no addresses. A query to another server would have the
   * same result.
   */
  record Missing(String reason) implements Reply {}

  /** The server gave no conclusive answer, so another server is queried. */
  record Trouble(String reason) implements Reply {}
}
