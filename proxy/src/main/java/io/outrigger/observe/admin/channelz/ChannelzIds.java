package io.outrigger.observe.admin.channelz;

import io.grpc.channelz.v1.Channel;
import io.grpc.channelz.v1.Server;
import io.grpc.channelz.v1.Socket;
import io.grpc.channelz.v1.Subchannel;
import io.outrigger.base.ControlConfined;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.upstream.SubchannelName;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import io.outrigger.observe.admin.channelz.ChannelzSource.Calls;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Assigns ids to names, so that an object keeps its id from one snapshot to the next. The id of an
 * object that is absent from a snapshot is forgotten, so the table does not grow; ids are not
 * reused.
 */
@ControlConfined
public final class ChannelzIds {
  /**
   * The smallest id that this program assigns. The ids of grpc-java count from 1 and never reach
   * this value. JSON readers that store numbers as doubles can still represent such ids exactly.
   */
  static final long OURS = 1_000_000_000_000L;

  /** The smallest id of a connection. Event loops assign the ids of connections. */
  static final long SOCKETS = 2 * OURS;

  private Map<Object, Long> known = Map.of();
  private long last = OURS;

  private record ServerName(String forward) {}

  private record ListenSocketName(String forward) {}

  public Snapshot begin() {
    return new Snapshot();
  }

  @ControlConfined
  public final class Snapshot {
    private final Map<Object, Long> seen = new HashMap<>();
    private final NavigableMap<Long, Channel> channels = new TreeMap<>();
    private final Map<Long, Subchannel> subchannels = new HashMap<>();
    private final Map<Long, SubchannelName> names = new HashMap<>();
    private final NavigableMap<Long, Server> servers = new TreeMap<>();
    private final Map<Long, Socket> listening = new HashMap<>();

    private long id(Object name) {
      return seen.computeIfAbsent(
          name,
          each -> {
            Long before = known.get(each);
            return before == null ? ++last : before;
          });
    }

    /**
     * @param calls the numbers of calls; empty when calls are counted for several targets together
     * @param trees a task that passes the trees of the target's clusters to a visitor
     */
    public void channel(
        TargetName name, Connectivity state, Optional<Calls> calls, Consumer<NodeVisitor> trees) {
      var endpoints = new Endpoints(name);
      trees.accept(endpoints);
      long id = id(name);
      Channel.Builder channel = ChannelzMessages.channel(id, name, state, calls);
      endpoints.found.forEach(
          (each, totals) -> {
            long subchannelId = id(each);
            Subchannel subchannel =
                ChannelzMessages.subchannel(subchannelId, each, totals.state(), totals.calls());
            subchannels.put(subchannelId, subchannel);
            names.put(subchannelId, each);
            channel.addSubchannelRef(subchannel.getRef());
          });
      channels.put(id, channel.build());
    }

    public void server(String forward, ListenAddress listen, Calls calls) {
      long id = id(new ServerName(forward));
      long socketId = id(new ListenSocketName(forward));
      Socket socket = ChannelzMessages.listenSocket(socketId, listen);
      listening.put(socketId, socket);
      servers.put(id, ChannelzMessages.server(id, forward, socket, calls));
    }

    public ChannelzSource.View end() {
      known = seen;
      return new ChannelzSource.View(channels, subchannels, names, servers, listening);
    }
  }

  private record EndpointTotals(Connectivity state, SubchannelCalls calls) {
    EndpointTotals plus(EndpointTotals other) {
      return new EndpointTotals(state.or(other.state), calls.plus(other.calls));
    }
  }

  /**
   * Collects endpoints. An endpoint of two leaf clusters of one aggregate cluster becomes one
   * subchannel, which counts the calls of both clusters.
   */
  private static final class Endpoints implements NodeVisitor {
    private final TargetName target;
    private final Map<SubchannelName, EndpointTotals> found = new LinkedHashMap<>();
    private String cluster = "";
    private int depth;

    Endpoints(TargetName target) {
      this.target = target;
    }

    @Override
    public void enter(LbNode node) {
      if (depth++ == 0) {
        cluster = node.name();
      }
    }

    @Override
    public void endpoint(LbEndpoint endpoint) {
      found.merge(
          new SubchannelName(target, cluster, endpoint.address()),
          new EndpointTotals(endpoint.state(), endpoint.calls()),
          EndpointTotals::plus);
    }

    @Override
    public void leave() {
      depth--;
    }
  }
}
