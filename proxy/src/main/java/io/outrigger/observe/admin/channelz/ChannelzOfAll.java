package io.outrigger.observe.admin.channelz;

import io.grpc.Status;
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
import io.grpc.protobuf.services.ChannelzService;
import io.grpc.stub.StreamObserver;
import io.outrigger.base.AnyThread;
import io.outrigger.http2.SocketView;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * {@code grpc.channelz.v1.Channelz} for the whole process. The service combines grpc-java's
 * channels (to control planes and the admin port) with the proxy's own. An id shows its origin;
 * lists show grpc-java's objects first, since their ids are lower.
 */
@AnyThread
public final class ChannelzOfAll extends ChannelzImplBase {
  private final ChannelzService grpcJava = ChannelzService.newInstance(Page.SIZE);
  private final ChannelzSource ours;

  public ChannelzOfAll(ChannelzSource ours) {
    this.ours = ours;
  }

  @Override
  public void getTopChannels(
      GetTopChannelsRequest request, StreamObserver<GetTopChannelsResponse> out) {
    long start = request.getStartChannelId();
    CompletionStage<Page<Channel>> page =
        pages(
            request.getMaxResults(),
            Answer.of(grpcJava::getTopChannels, request)
                .thenApply(first -> new Page<>(first.getChannelList(), first.getEnd())),
            view -> from(start, view.channels(), ChannelzMessages::channel));
    Answer.to(
        out,
        page.thenApply(
            all ->
                GetTopChannelsResponse.newBuilder()
                    .addAllChannel(all.items())
                    .setEnd(all.end())
                    .build()));
  }

  @Override
  public void getServers(GetServersRequest request, StreamObserver<GetServersResponse> out) {
    long start = request.getStartServerId();
    CompletionStage<Page<Server>> page =
        pages(
            request.getMaxResults(),
            Answer.of(grpcJava::getServers, request)
                .thenApply(first -> new Page<>(first.getServerList(), first.getEnd())),
            view -> from(start, view.servers(), ChannelzMessages::server));
    Answer.to(
        out,
        page.thenApply(
            all ->
                GetServersResponse.newBuilder()
                    .addAllServer(all.items())
                    .setEnd(all.end())
                    .build()));
  }

  @Override
  public void getChannel(GetChannelRequest request, StreamObserver<GetChannelResponse> out) {
    long id = request.getChannelId();
    if (!isOurs(id)) {
      grpcJava.getChannel(request, out);
      return;
    }
    Answer.to(
        out,
        ours.view()
            .thenCompose(
                view -> {
                  ChannelzView.Channel found = view.channels().get(id);
                  return found == null
                      ? Answer.notFound("channel", id)
                      : CompletableFuture.completedStage(
                          GetChannelResponse.newBuilder()
                              .setChannel(ChannelzMessages.channel(found))
                              .build());
                }));
  }

  @Override
  public void getSubchannel(
      GetSubchannelRequest request, StreamObserver<GetSubchannelResponse> out) {
    long id = request.getSubchannelId();
    if (!isOurs(id)) {
      grpcJava.getSubchannel(request, out);
      return;
    }
    Answer.to(
        out,
        ours.view()
            .thenCompose(
                view -> {
                  ChannelzView.Subchannel found = view.subchannels().get(id);
                  return found == null
                      ? Answer.notFound("subchannel", id)
                      : ours.sockets(found.name())
                          .thenApply(
                              sockets ->
                                  GetSubchannelResponse.newBuilder()
                                      .setSubchannel(ChannelzMessages.subchannel(found, sockets))
                                      .build());
                }));
  }

  @Override
  public void getServer(GetServerRequest request, StreamObserver<GetServerResponse> out) {
    long id = request.getServerId();
    if (!isOurs(id)) {
      grpcJava.getServer(request, out);
      return;
    }
    Answer.to(
        out,
        server(id)
            .thenApply(
                found ->
                    GetServerResponse.newBuilder()
                        .setServer(ChannelzMessages.server(found))
                        .build()));
  }

  @Override
  public void getServerSockets(
      GetServerSocketsRequest request, StreamObserver<GetServerSocketsResponse> out) {
    if (!isOurs(request.getServerId())) {
      grpcJava.getServerSockets(request, out);
      return;
    }
    long from = Math.max(0, request.getStartSocketId() - ChannelzIds.SOCKETS);
    Answer.to(
        out,
        size(request.getMaxResults())
            .thenCompose(
                size ->
                    server(request.getServerId())
                        .thenCompose(found -> ours.serverSockets(found.forward(), from, size + 1))
                        .thenApply(sockets -> serverSockets(Page.of(sockets, size)))));
  }

  private static GetServerSocketsResponse serverSockets(Page<SocketView> page) {
    return GetServerSocketsResponse.newBuilder()
        .addAllSocketRef(page.items().stream().map(ChannelzMessages::ref).toList())
        .setEnd(page.end())
        .build();
  }

  @Override
  public void getSocket(GetSocketRequest request, StreamObserver<GetSocketResponse> out) {
    if (!isOurs(request.getSocketId())) {
      grpcJava.getSocket(request, out);
      return;
    }
    Answer.to(
        out,
        socket(request.getSocketId())
            .thenApply(found -> GetSocketResponse.newBuilder().setSocket(found).build()));
  }

  private CompletionStage<Socket> socket(long id) {
    if (id < ChannelzIds.SOCKETS) {
      return ours.view()
          .thenCompose(
              view ->
                  view.listeningOn(id)
                      .map(ChannelzMessages::listenSocket)
                      .<CompletionStage<Socket>>map(CompletableFuture::completedStage)
                      .orElseGet(() -> Answer.notFound("socket", id)));
    }
    return ours.socket(id - ChannelzIds.SOCKETS)
        .thenCompose(
            found ->
                found
                    .map(ChannelzMessages::socket)
                    .<CompletionStage<Socket>>map(CompletableFuture::completedStage)
                    .orElseGet(() -> Answer.notFound("socket", id)));
  }

  private CompletionStage<ChannelzView.Server> server(long id) {
    return ours.view()
        .thenCompose(
            view -> {
              ChannelzView.Server found = view.servers().get(id);
              return found == null
                  ? Answer.notFound("server", id)
                  : CompletableFuture.completedStage(found);
            });
  }

  /**
   * Returns a page of grpc-java's objects, followed by the proxy's own if there is room. The page
   * is cut here, since grpc-java's service ignores {@code max_results}.
   */
  private <T> CompletionStage<Page<T>> pages(
      long maxResults, CompletionStage<Page<T>> first, Function<ChannelzView, List<T>> next) {
    return size(maxResults)
        .thenCompose(
            size ->
                first.thenCombine(
                    ours.view().thenApply(next), (a, b) -> a.cut(size).then(b, size)));
  }

  /** Returns at most one object more than a page has; the extra one shows whether more follow. */
  private static <V, T> List<T> from(long start, NavigableMap<Long, V> all, Function<V, T> show) {
    Collection<V> rest = all.tailMap(start).values();
    return rest.stream().limit(Page.SIZE + 1).map(show).toList();
  }

  private static CompletionStage<Integer> size(long maxResults) {
    if (maxResults < 0) {
      return CompletableFuture.failedStage(
          Status.INVALID_ARGUMENT
              .withDescription("max_results is negative: " + maxResults)
              .asRuntimeException());
    }
    return CompletableFuture.completedStage(
        maxResults == 0 ? Page.SIZE : (int) Math.min(maxResults, Page.SIZE));
  }

  private static boolean isOurs(long id) {
    return id >= ChannelzIds.OURS;
  }
}
