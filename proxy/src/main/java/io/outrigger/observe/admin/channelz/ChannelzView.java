package io.outrigger.observe.admin.channelz;

import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.upstream.SubchannelName;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.lb.state.Connectivity;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** What channelz shows of us at one moment, apart from connections; each by its id. */
public record ChannelzView(
    NavigableMap<Long, Channel> channels,
    Map<Long, Subchannel> subchannels,
    NavigableMap<Long, Server> servers) {
  public ChannelzView {
    channels = Collections.unmodifiableNavigableMap(new TreeMap<>(channels));
    subchannels = Collections.unmodifiableMap(new HashMap<>(subchannels));
    servers = Collections.unmodifiableNavigableMap(new TreeMap<>(servers));
  }

  /** The server whose listen socket has that id. */
  Optional<Server> listeningOn(long socket) {
    return servers.values().stream().filter(server -> server.listenSocket() == socket).findAny();
  }

  /**
   * How calls went.
   *
   * @param succeeded gRPC status OK; for plain HTTP a {@code :status} below 500 and a clean end
   * @param failed ended in any other way
   */
  public record Calls(long started, long succeeded, long failed) {}

  /**
   * One target of a forward.
   *
   * @param calls empty where calls are counted for several targets together
   */
  public record Channel(
      long id,
      TargetName name,
      Connectivity state,
      Optional<Calls> calls,
      List<Subchannel> subchannels) {
    public Channel {
      subchannels = List.copyOf(subchannels);
    }
  }

  /**
   * One endpoint of a cluster of a target.
   *
   * @param calls attempts that were given to it
   */
  public record Subchannel(long id, SubchannelName name, Connectivity state, Calls calls) {}

  /**
   * The port of a forward.
   *
   * @param listenSocket its id
   */
  public record Server(
      long id, String forward, long listenSocket, ListenAddress listen, Calls calls) {}
}
