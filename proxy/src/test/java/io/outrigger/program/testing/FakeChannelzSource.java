package io.outrigger.program.testing;

import io.outrigger.dataplane.upstream.SubchannelName;
import io.outrigger.http2.SocketView;
import io.outrigger.observe.admin.channelz.ChannelzIds;
import io.outrigger.observe.admin.channelz.ChannelzSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Answers with what a test puts in; empty at first. */
public final class FakeChannelzSource implements ChannelzSource {
  public ChannelzSource.View view = new ChannelzIds().begin().end();
  public final Map<SubchannelName, List<SocketView>> upstream = new HashMap<>();
  public final NavigableMap<Long, SocketView> downstream = new TreeMap<>();

  @Override
  public CompletionStage<ChannelzSource.View> view() {
    return CompletableFuture.completedStage(view);
  }

  @Override
  public CompletionStage<List<SocketView>> sockets(SubchannelName subchannel) {
    return CompletableFuture.completedStage(upstream.getOrDefault(subchannel, List.of()));
  }

  @Override
  public CompletionStage<List<SocketView>> serverSockets(String forward, long from, int max) {
    return CompletableFuture.completedStage(
        downstream.tailMap(from).values().stream().limit(max).toList());
  }

  @Override
  public CompletionStage<Optional<SocketView>> socket(long id) {
    List<SocketView> all = new ArrayList<>(downstream.values());
    upstream.values().forEach(all::addAll);
    return CompletableFuture.completedStage(
        all.stream().filter(socket -> socket.id() == id).findAny());
  }
}
