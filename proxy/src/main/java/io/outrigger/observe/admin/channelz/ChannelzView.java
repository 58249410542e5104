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

/** A snapshot of the channelz objects of this program, except connections. The keys are ids. */
public record ChannelzView(
    NavigableMap<Long, Channel> channels,
    Map<Long, Subchannel> subchannels,
    NavigableMap<Long, Server> servers) {
  public ChannelzView {
    channels = Collections.unmodifiableNavigableMap(new TreeMap<>(channels));
    subchannels = Collections.unmodifiableMap(new HashMap<>(subchannels));
    servers = Collections.unmodifiableNavigableMap(new TreeMap<>(servers));
  }

  /** Returns the server whose listening socket has the id {@code socket}. */
  Optional<Server> listeningOn(long socket) {
    return servers.values().stream().filter(server -> server.listenSocket() == socket).findAny();
  }

  /**
   * The numbers of calls.
   *
   * @param succeeded calls with gRPC status OK; plain HTTP calls with a {@code :status} below 500
   *     and a clean end
   * @param failed calls that ended in any other way
   */
  public record Calls(long started, long succeeded, long failed) {}

  /**
   * One target of a forward.
   *
   * @param calls empty when calls are counted for several targets together
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
   * One endpoint of a target's cluster.
   *
   * @param calls the attempts that were sent to the endpoint
   */
  public record Subchannel(long id, SubchannelName name, Connectivity state, Calls calls) {}

  /**
   * The port of a forward.
   *
   * @param listenSocket the id of the listening socket
   */
  public record Server(
      long id, String forward, long listenSocket, ListenAddress listen, Calls calls) {}
}
