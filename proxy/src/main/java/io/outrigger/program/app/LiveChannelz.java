package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.calls.CallStats;
import io.outrigger.dataplane.downstream.Http2Listener;
import io.outrigger.dataplane.upstream.SubchannelName;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.dataplane.upstream.UpstreamSockets;
import io.outrigger.http2.SocketView;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.observe.admin.channelz.ChannelzIds;
import io.outrigger.observe.admin.channelz.ChannelzSource;
import io.outrigger.observe.admin.channelz.ChannelzSource.Calls;
import io.outrigger.observe.admin.channelz.ChannelzSource.View;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Supplies channelz with the state of the sidecar. Each snapshot is reused for 100 ms, because the
 * control loop needs milliseconds to create it. A channelz client may send ten thousand requests,
 * one for each subchannel.
 */
@AnyThread
final class LiveChannelz implements ChannelzSource {
  static final Duration MAX_AGE = Duration.ofMillis(100);

  private final Components components;
  private final UpstreamSockets upstream;

  // The fields ids, latest and latestNanos are confined to the control loop.
  private final ChannelzIds ids = new ChannelzIds();

  private @Nullable View latest;
  private long latestNanos;

  LiveChannelz(Components components) {
    this.components = components;
    this.upstream = components.connector.sockets();
  }

  @Override
  public CompletionStage<View> view() {
    return components.onControl(this::snapshot);
  }

  /** Returns a snapshot that is at most 100 ms old. Runs on the control loop. */
  private View snapshot() {
    View known = latest;
    long now = components.control.nanoTime();
    if (known != null && now - latestNanos < MAX_AGE.toNanos()) {
      return known;
    }
    ChannelzIds.Snapshot snapshot = ids.begin();
    for (RunningForward forward : components.forwards) {
      Calls calls = calls(forward.listener().forward().totals());
      snapshot.server(forward.name(), forward.listen(), calls);
      for (TargetRuntime target : forward.targets()) {
        snapshot.channel(
            new TargetName(forward.name(), target.name(), target.authority()),
            stateOf(target),
            forward.fixedTarget().map(one -> calls),
            target.clusters()::accept);
      }
    }
    for (RunningServe serve : components.serves) {
      Calls calls = calls(serve.calls().totals());
      snapshot.server(serve.spec().name(), serve.spec().listen(), calls);
    }
    View made = snapshot.end();
    latest = made;
    latestNanos = now;
    return made;
  }

  private static Calls calls(CallStats.Totals totals) {
    long ended = totals.count(CallCounter.ENDED);
    long succeeded = Math.min(ended, totals.succeeded());
    return new Calls(totals.count(CallCounter.STARTED), succeeded, ended - succeeded);
  }

  /**
   * Returns the state that a gRPC channel to the target would have. The target is CONNECTING until
   * it has a configuration, and IDLE if it has no cluster.
   */
  private static Connectivity stateOf(TargetRuntime target) {
    return switch (target.state()) {
      case WAITING -> Connectivity.CONNECTING;
      case ERROR -> Connectivity.TRANSIENT_FAILURE;
      case READY ->
          target
              .clusters()
              .handles()
              .map(ClusterHandle::state)
              .reduce(Connectivity::or)
              .orElse(Connectivity.IDLE);
    };
  }

  @Override
  public CompletionStage<List<SocketView>> sockets(SubchannelName subchannel) {
    return upstream.of(subchannel);
  }

  @Override
  public CompletionStage<List<SocketView>> serverSockets(String server, long from, int max) {
    return sockets(server::equals, from, max);
  }

  @Override
  public CompletionStage<Optional<SocketView>> socket(long id) {
    return upstream
        .find(id)
        .thenCompose(
            known ->
                known.isPresent()
                    ? CompletableFuture.completedStage(known)
                    : sockets(name -> true, id, 1)
                        .thenApply(
                            next -> next.stream().filter(socket -> socket.id() == id).findAny()));
  }

  /** Returns the open connections to the forwards and served addresses with matching names. */
  private CompletionStage<List<SocketView>> sockets(Predicate<String> names, long from, int max) {
    return components
        .onControl(
            () ->
                Stream.concat(
                        components.forwards.stream()
                            .filter(forward -> names.test(forward.name()))
                            .map(RunningForward::listener),
                        components.serves.stream()
                            .filter(serve -> names.test(serve.spec().name()))
                            .flatMap(serve -> serve.port().listeners()))
                    .toList())
        .thenCompose(listeners -> Http2Listener.sockets(listeners, from, max));
  }
}
