package io.outrigger.observe.admin.channelz;

import io.grpc.channelz.v1.Channel;
import io.grpc.channelz.v1.ChannelzGrpc.ChannelzImplBase;
import io.grpc.channelz.v1.GetChannelRequest;
import io.grpc.channelz.v1.GetChannelResponse;
import io.grpc.channelz.v1.GetServerRequest;
import io.grpc.channelz.v1.GetServerResponse;
import io.grpc.channelz.v1.GetServerSocketsRequest;
import io.grpc.channelz.v1.GetServerSocketsResponse;
import io.grpc.channelz.v1.GetServersRequest;
import io.grpc.channelz.v1.GetServersResponse;
import io.grpc.channelz.v1.GetSocketRequest;
import io.grpc.channelz.v1.GetSocketResponse;
import io.grpc.channelz.v1.GetSubchannelRequest;
import io.grpc.channelz.v1.GetSubchannelResponse;
import io.grpc.channelz.v1.GetTopChannelsRequest;
import io.grpc.channelz.v1.GetTopChannelsResponse;
import io.grpc.channelz.v1.Server;
import io.grpc.channelz.v1.Socket;
import io.grpc.channelz.v1.Subchannel;
import io.grpc.protobuf.services.ChannelzService;
import io.grpc.stub.StreamObserver;
import io.outrigger.base.AnyThread;
import io.outrigger.http2.SocketView;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Implements the gRPC service {@code grpc.channelz.v1.Channelz} for the whole process. The service
 * shows the proxy's forwards and served addresses, and also grpc-java's servers and channels: the
 * admin port and the channels to control planes. An id shows whether grpc-java assigned it. Lists
 * of objects begin with the objects of grpc-java, because their ids are lower.
 */
@AnyThread
public final class ProxyChannelz extends ChannelzImplBase {
  /** The default and maximum size of a page. */
  private static final int PAGE = 100;

  private final ChannelzService grpcJava = ChannelzService.newInstance(PAGE);
  private final ChannelzSource source;

  public ProxyChannelz(ChannelzSource source) {
    this.source = source;
  }

  @Override
  public void getTopChannels(
      GetTopChannelsRequest request, StreamObserver<GetTopChannelsResponse> out) {
    int size = size(request.getMaxResults());
    long start = request.getStartChannelId();
    UnaryCalls.answer(
        out,
        UnaryCalls.call(grpcJava::getTopChannels, request)
            .thenCombine(
                source.view(),
                (first, view) -> {
                  List<Channel> all =
                      joined(first.getChannelList(), first.getEnd(), view.channels(), start, size);
                  return GetTopChannelsResponse.newBuilder()
                      .addAllChannel(all.subList(0, Math.min(all.size(), size)))
                      .setEnd(first.getEnd() && all.size() <= size)
                      .build();
                }));
  }

  @Override
  public void getServers(GetServersRequest request, StreamObserver<GetServersResponse> out) {
    int size = size(request.getMaxResults());
    long start = request.getStartServerId();
    UnaryCalls.answer(
        out,
        UnaryCalls.call(grpcJava::getServers, request)
            .thenCombine(
                source.view(),
                (first, view) -> {
                  List<Server> all =
                      joined(first.getServerList(), first.getEnd(), view.servers(), start, size);
                  return GetServersResponse.newBuilder()
                      .addAllServer(all.subList(0, Math.min(all.size(), size)))
                      .setEnd(first.getEnd() && all.size() <= size)
                      .build();
                }));
  }

  @Override
  public void getChannel(GetChannelRequest request, StreamObserver<GetChannelResponse> out) {
    if (request.getChannelId() < ChannelzIds.OURS) {
      grpcJava.getChannel(request, out);
      return;
    }
    UnaryCalls.answer(
        out,
        found("channel", request.getChannelId(), ChannelzSource.View::channels)
            .thenApply(found -> GetChannelResponse.newBuilder().setChannel(found).build()));
  }

  @Override
  public void getSubchannel(
      GetSubchannelRequest request, StreamObserver<GetSubchannelResponse> out) {
    if (request.getSubchannelId() < ChannelzIds.OURS) {
      grpcJava.getSubchannel(request, out);
      return;
    }
    long id = request.getSubchannelId();
    UnaryCalls.answer(
        out,
        found("subchannel", id, ChannelzSource.View::subchannels)
            .thenCompose(
                found ->
                    found("subchannel", id, ChannelzSource.View::names)
                        .thenCompose(source::sockets)
                        .thenApply(sockets -> withSockets(found, sockets)))
            .thenApply(found -> GetSubchannelResponse.newBuilder().setSubchannel(found).build()));
  }

  private static Subchannel withSockets(Subchannel subchannel, List<SocketView> sockets) {
    return subchannel.toBuilder()
        .addAllSocketRef(sockets.stream().map(ChannelzMessages::ref).toList())
        .build();
  }

  @Override
  public void getServer(GetServerRequest request, StreamObserver<GetServerResponse> out) {
    if (request.getServerId() < ChannelzIds.OURS) {
      grpcJava.getServer(request, out);
      return;
    }
    UnaryCalls.answer(
        out,
        server(request.getServerId())
            .thenApply(found -> GetServerResponse.newBuilder().setServer(found).build()));
  }

  @Override
  public void getServerSockets(
      GetServerSocketsRequest request, StreamObserver<GetServerSocketsResponse> out) {
    if (request.getServerId() < ChannelzIds.OURS) {
      grpcJava.getServerSockets(request, out);
      return;
    }
    long from = Math.max(0, request.getStartSocketId() - ChannelzIds.SOCKETS);
    int size = size(request.getMaxResults());
    UnaryCalls.answer(
        out,
        server(request.getServerId())
            .thenCompose(server -> source.serverSockets(server.getRef().getName(), from, size + 1))
            .thenApply(
                sockets ->
                    GetServerSocketsResponse.newBuilder()
                        .addAllSocketRef(
                            sockets.stream().limit(size).map(ChannelzMessages::ref).toList())
                        .setEnd(sockets.size() <= size)
                        .build()));
  }

  @Override
  public void getSocket(GetSocketRequest request, StreamObserver<GetSocketResponse> out) {
    if (request.getSocketId() < ChannelzIds.OURS) {
      grpcJava.getSocket(request, out);
      return;
    }
    long id = request.getSocketId();
    CompletionStage<Socket> socket =
        id < ChannelzIds.SOCKETS
            ? found("socket", id, ChannelzSource.View::listening)
            : source
                .socket(id - ChannelzIds.SOCKETS)
                .thenApply(found -> found.orElseThrow(() -> UnaryCalls.notFound("socket", id)))
                .thenApply(ChannelzMessages::socket);
    UnaryCalls.answer(
        out, socket.thenApply(found -> GetSocketResponse.newBuilder().setSocket(found).build()));
  }

  private CompletionStage<Server> server(long id) {
    return found("server", id, ChannelzSource.View::servers);
  }

  private <T> CompletionStage<T> found(
      String kind, long id, Function<ChannelzSource.View, Map<Long, T>> all) {
    return source
        .view()
        .thenCompose(
            view -> {
              T found = all.apply(view).get(id);
              return found == null
                  ? CompletableFuture.failedStage(UnaryCalls.notFound(kind, id))
                  : CompletableFuture.completedStage(found);
            });
  }

  /**
   * Returns at most {@code size} + 1 objects, grpc-java's objects first. If {@code isAll}, these
   * are all of grpc-java's objects, and the proxy's objects with ids from {@code start} on follow.
   */
  private static <T> List<T> joined(
      List<T> first, boolean isAll, NavigableMap<Long, T> ours, long start, int size) {
    return Stream.concat(
            first.stream(), isAll ? ours.tailMap(start, true).values().stream() : Stream.empty())
        .limit(size + 1)
        .toList();
  }

  private static int size(long maxResults) {
    return maxResults <= 0 ? PAGE : (int) Math.min(maxResults, PAGE);
  }
}
