package io.outrigger.observe.admin.channelz;

import io.grpc.channelz.v1.Channel;
import io.grpc.channelz.v1.Server;
import io.grpc.channelz.v1.Socket;
import io.grpc.channelz.v1.Subchannel;
import io.outrigger.dataplane.upstream.SubchannelName;
import io.outrigger.http2.SocketView;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The source of channelz data; its methods run on any thread and do not block. */
public interface ChannelzSource {
  /** Returns all objects except connections, in a snapshot that may be slightly out of date. */
  CompletionStage<View> view();

  CompletionStage<List<SocketView>> sockets(SubchannelName subchannel);

  /** Returns the open connections to the port of a forward or served address, ordered by id. */
  CompletionStage<List<SocketView>> serverSockets(String forward, long from, int max);

  /** Returns an open connection to a backend, or to the port of a forward or served address. */
  CompletionStage<Optional<SocketView>> socket(long id);

  /**
   * A snapshot of the channelz objects of this program by id, except connections. The maps of a
   * snapshot never change.
   *
   * @param names the names by which {@link #sockets} finds the sockets of subchannels
   */
  record View(
      NavigableMap<Long, Channel> channels,
      Map<Long, Subchannel> subchannels,
      Map<Long, SubchannelName> names,
      NavigableMap<Long, Server> servers,
      Map<Long, Socket> listening) {}

  /**
   * @param succeeded the number of gRPC calls with status OK, and of other HTTP requests with a
   *     complete response and a status below 500
   * @param failed the number of calls that ended without success
   */
  record Calls(long started, long succeeded, long failed) {}
}
