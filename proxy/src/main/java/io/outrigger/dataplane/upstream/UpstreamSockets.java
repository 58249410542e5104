package io.outrigger.dataplane.upstream;

import io.outrigger.base.AnyThread;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.SocketView;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * The open connections to backends, for status views. Each event loop keeps its own list and is
 * queried for it, so that calls pay nothing for the views.
 */
@AnyThread
public final class UpstreamSockets {
  private final EventLoops loops;
  private final List<LoopSockets> byLoop;

  UpstreamSockets(EventLoops loops) {
    this.loops = loops;
    byLoop = Stream.generate(LoopSockets::new).limit(loops.count()).toList();
  }

  /** The list of connections of {@code loop}; to be used on that loop only. */
  LoopSockets of(int loop) {
    return byLoop.get(loop);
  }

  /**
   * The connections of a subchannel, ordered by id; an empty list when the subchannel does not
   * exist.
   */
  public CompletionStage<List<SocketView>> of(SubchannelName subchannel) {
    return loops
        .askEach(i -> byLoop.get(i).of(subchannel))
        .thenApply(
            each ->
                each.stream()
                    .flatMap(List::stream)
                    .sorted(Comparator.comparingLong(SocketView::id))
                    .toList());
  }

  /** The connection with that id; empty when no such connection is open. */
  public CompletionStage<Optional<SocketView>> find(long id) {
    return loops
        .askEach(i -> byLoop.get(i).find(id))
        .thenApply(each -> each.stream().flatMap(Optional::stream).findFirst());
  }
}
