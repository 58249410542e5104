package io.outrigger.observe.admin.channelz;

import io.grpc.Status;
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
import io.grpc.channelz.v1.Socket;
import io.grpc.protobuf.services.ChannelzService;
import io.grpc.stub.StreamObserver;
import io.outrigger.base.AnyThread;
import io.outrigger.http2.SocketView;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
    UnaryCalls.answer(
        out,
        pages(
                request.getMaxResults(),
                UnaryCalls.call(grpcJava::getTopChannels, request)
                    .thenApply(first -> new Page<>(first.getChannelList(), first.getEnd())),
                view -> from(start, view.channels(), ChannelzMessages::channel))
            .thenApply(
                all ->
                    GetTopChannelsResponse.newBuilder()
                        .addAllChannel(all.items())
                        .setEnd(all.end())
                        .build()));
  }

  @Override
  public void getServers(GetServersRequest request, StreamObserver<GetServersResponse> out) {
    long start = request.getStartServerId();
    UnaryCalls.answer(
        out,
        pages(
                request.getMaxResults(),
                UnaryCalls.call(grpcJava::getServers, request)
                    .thenApply(first -> new Page<>(first.getServerList(), first.getEnd())),
                view -> from(start, view.servers(), ChannelzMessages::server))
            .thenApply(
                all ->
                    GetServersResponse.newBuilder()
                        .addAllServer(all.items())
                        .setEnd(all.end())
                        .build()));
  }

  @Override
  public void getChannel(GetChannelRequest request, StreamObserver<GetChannelResponse> out) {
    long id = request.getChannelId();
    if (isOurs(id)) {
      UnaryCalls.answer(
          out,
          found("channel", id, view -> view.channels().get(id))
              .thenApply(ChannelzMessages::channel)
              .thenApply(found -> GetChannelResponse.newBuilder().setChannel(found).build()));
    } else {
      grpcJava.getChannel(request, out);
    }
  }

  @Override
  public void getSubchannel(
      GetSubchannelRequest request, StreamObserver<GetSubchannelResponse> out) {
    long id = request.getSubchannelId();
    if (isOurs(id)) {
      UnaryCalls.answer(
          out,
          found("subchannel", id, view -> view.subchannels().get(id))
              .thenCompose(
                  found ->
                      ours.sockets(found.name())
                          .thenApply(sockets -> ChannelzMessages.subchannel(found, sockets)))
              .thenApply(found -> GetSubchannelResponse.newBuilder().setSubchannel(found).build()));
    } else {
      grpcJava.getSubchannel(request, out);
    }
  }

  @Override
  public void getServer(GetServerRequest request, StreamObserver<GetServerResponse> out) {
    long id = request.getServerId();
    if (isOurs(id)) {
      UnaryCalls.answer(
          out,
          server(id)
              .thenApply(ChannelzMessages::server)
              .thenApply(found -> GetServerResponse.newBuilder().setServer(found).build()));
    } else {
      grpcJava.getServer(request, out);
    }
  }

  @Override
  public void getServerSockets(
      GetServerSocketsRequest request, StreamObserver<GetServerSocketsResponse> out) {
    long id = request.getServerId();
    if (!isOurs(id)) {
      grpcJava.getServerSockets(request, out);
      return;
    }
    long from = Math.max(0, request.getStartSocketId() - ChannelzIds.SOCKETS);
    UnaryCalls.answer(
        out,
        size(request.getMaxResults())
            .thenCompose(
                size ->
                    server(id)
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
    long id = request.getSocketId();
    if (!isOurs(id)) {
      grpcJava.getSocket(request, out);
      return;
    }
    CompletionStage<Socket> socket =
        id < ChannelzIds.SOCKETS
            ? found("socket", id, view -> view.listeningOn(id).orElse(null))
                .thenApply(ChannelzMessages::listenSocket)
            : ours.socket(id - ChannelzIds.SOCKETS)
                .thenApply(found -> found.orElseThrow(() -> UnaryCalls.notFound("socket", id)))
                .thenApply(ChannelzMessages::socket);
    UnaryCalls.answer(
        out, socket.thenApply(found -> GetSocketResponse.newBuilder().setSocket(found).build()));
  }

  private CompletionStage<ChannelzView.Server> server(long id) {
    return found("server", id, view -> view.servers().get(id));
  }

  /** Returns the object that {@code find} finds in the current view; fails with NOT_FOUND. */
  private <T> CompletionStage<T> found(
      String kind, long id, Function<ChannelzView, @Nullable T> find) {
    return ours.view()
        .thenApply(
            view ->
                Optional.ofNullable(find.apply(view))
                    .orElseThrow(() -> UnaryCalls.notFound(kind, id)));
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
                    ours.view().thenApply(next), (a, b) -> a.first(size).followedBy(b, size)));
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
