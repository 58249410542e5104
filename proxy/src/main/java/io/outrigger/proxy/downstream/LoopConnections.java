package io.outrigger.proxy.downstream;

import io.outrigger.base.LoopConfined;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The connections of one listener on one event loop. */
@LoopConfined
final class LoopConnections {
  private final Set<DownstreamConnection> open = new HashSet<>();
  private final Runnable closed;
  private boolean draining;

  /**
   * @param closed called when a connection has closed
   */
  LoopConnections(Runnable closed) {
    this.closed = closed;
  }

  void add(DownstreamConnection connection) {
    open.add(connection);
  }

  /** Whether connections that come now are late. */
  boolean isDraining() {
    return draining;
  }

  void remove(DownstreamConnection connection) {
    if (open.remove(connection)) {
      closed.run();
    }
  }

  void drain() {
    draining = true;
    List.copyOf(open).forEach(DownstreamConnection::drain);
  }

  void close() {
    draining = true;
    List.copyOf(open).forEach(DownstreamConnection::close);
  }
}
