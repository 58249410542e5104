package io.outrigger.observe.admin.channelz;

import io.grpc.channelz.v1.Channel;
import io.grpc.channelz.v1.Server;
import io.grpc.channelz.v1.Socket;
import io.grpc.channelz.v1.Subchannel;
import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.upstream.SubchannelName;
import java.util.Map;
import java.util.NavigableMap;

/**
 * A snapshot of the channelz objects of this program by id, except connections. The maps do not
 * change any more.
 *
 * @param subchannels subchannels without their sockets
 * @param names the names of the subchannels, with which their sockets are found
 */
@AnyThread
public record ChannelzView(
    NavigableMap<Long, Channel> channels,
    Map<Long, Subchannel> subchannels,
    Map<Long, SubchannelName> names,
    NavigableMap<Long, Server> servers,
    Map<Long, Socket> listening) {
  /**
   * The numbers of calls.
   *
   * @param succeeded calls with gRPC status OK; plain HTTP calls with a {@code :status} below 500
   *     and a clean end
   * @param failed calls that ended in any other way
   */
  public record Calls(long started, long succeeded, long failed) {}
}
