package io.outrigger.dataplane.upstream;

import io.outrigger.base.AnyThread;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.SocketView;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/**
 * The open connections to backends, for status views. Each event loop has a map of its connections.
 * Status views read each map on the map's event loop, so no synchronization is needed.
 */
@AnyThread
public final class UpstreamSockets {
  private final EventLoops loops;

  /** For each event loop, its connections; the key is the connection's id. */
  private final List<Map<Long, Entry>> byLoop;

  private record Entry(SubchannelName owner, Http2Connection connection) {}

  UpstreamSockets(EventLoops loops) {
    this.loops = loops;
    byLoop = Stream.<Map<Long, Entry>>generate(HashMap::new).limit(loops.count()).toList();
  }

  /** Adds a connection of the current loop; the returned task removes the connection. */
  Runnable add(int loop, SubchannelName owner, Http2Connection connection) {
    long id = loops.nextSocketId();
    byLoop.get(loop).put(id, new Entry(owner, connection));
    return () -> byLoop.get(loop).remove(id);
  }

  /** The connections of a subchannel, ordered by id; empty when the subchannel does not exist. */
  public CompletionStage<List<SocketView>> of(SubchannelName subchannel) {
    return views((id, each) -> each.owner().equals(subchannel));
  }

  /** The connection with the given id; empty when no such connection is open. */
  public CompletionStage<Optional<SocketView>> find(long wanted) {
    return views((id, each) -> id == wanted).thenApply(found -> found.stream().findFirst());
  }

  private CompletionStage<List<SocketView>> views(BiPredicate<Long, Entry> wanted) {
    return loops
        .callOnEach(
            i ->
                byLoop.get(i).entrySet().stream()
                    .filter(each -> wanted.test(each.getKey(), each.getValue()))
                    .map(each -> each.getValue().connection().view(each.getKey()))
                    .toList())
        .thenApply(
            each ->
                each.stream()
                    .flatMap(List::stream)
                    .sorted(Comparator.comparingLong(SocketView::id))
                    .toList());
  }
}
