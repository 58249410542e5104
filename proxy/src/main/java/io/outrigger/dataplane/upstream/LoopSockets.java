package io.outrigger.dataplane.upstream;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.SocketView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The open connections to backends on one event loop, including those that only finish their
 * streams.
 */
@LoopConfined
final class LoopSockets {
  private final Map<Long, Entry> open = new TreeMap<>();

  private record Entry(SubchannelName owner, Http2Connection connection) {}

  void add(long id, SubchannelName owner, Http2Connection connection) {
    open.put(id, new Entry(owner, connection));
  }

  void remove(long id) {
    open.remove(id);
  }

  /** The connections of a subchannel, ordered by id. */
  List<SocketView> of(SubchannelName owner) {
    return open.entrySet().stream()
        .filter(each -> each.getValue().owner().equals(owner))
        .map(each -> each.getValue().connection().view(each.getKey()))
        .toList();
  }

  Optional<SocketView> find(long id) {
    return Optional.ofNullable(open.get(id)).map(entry -> entry.connection().view(id));
  }
}
