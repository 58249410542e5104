package io.outrigger.dataplane.downstream;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.SocketView;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;

/** The connections of one listener on one event loop. */
@LoopConfined
final class AcceptedConnections {
  /** The maximum number of connections to check per task: a certificate check takes 100 µs. */
  private static final int CHECKED_PER_TASK = 16;

  private final NavigableMap<Long, DownstreamConnection> open = new TreeMap<>();
  private boolean draining;

  void add(DownstreamConnection connection) {
    open.put(connection.id(), connection);
  }

  /** Whether the drain has begun, so that new connections must be closed. */
  boolean isDraining() {
    return draining;
  }

  void remove(DownstreamConnection connection) {
    open.remove(connection.id());
  }

  /** Returns views of the first {@code max} connections whose ids are not below the given id. */
  List<SocketView> views(long from, int max) {
    return open.tailMap(from).values().stream().limit(max).map(DownstreamConnection::view).toList();
  }

  void drain() {
    draining = true;
    List.copyOf(open.values()).forEach(DownstreamConnection::drain);
  }

  void close() {
    draining = true;
    List.copyOf(open.values()).forEach(DownstreamConnection::close);
  }

  /**
   * Ends the connections that {@link Admission#retirement} selects; divides the work into tasks.
   *
   * @param from the lowest id of the connections to check
   */
  void retire(long from, Admission admission, Executor loop) {
    List<DownstreamConnection> checked =
        open.tailMap(from).values().stream().limit(CHECKED_PER_TASK).toList();
    checked.forEach(connection -> connection.retire(admission.retirement(connection.caller())));
    if (checked.size() == CHECKED_PER_TASK) {
      long next = checked.get(CHECKED_PER_TASK - 1).id() + 1;
      loop.execute(() -> retire(next, admission, loop));
    }
  }
}
