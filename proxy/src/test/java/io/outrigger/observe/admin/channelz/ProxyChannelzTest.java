package io.outrigger.observe.admin.channelz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.channelz.v1.Address;
import io.grpc.channelz.v1.Channel;
import io.grpc.channelz.v1.GetChannelRequest;
import io.grpc.channelz.v1.GetServerRequest;
import io.grpc.channelz.v1.GetServerSocketsRequest;
import io.grpc.channelz.v1.GetServerSocketsResponse;
import io.grpc.channelz.v1.GetServersRequest;
import io.grpc.channelz.v1.GetSocketRequest;
import io.grpc.channelz.v1.GetSubchannelRequest;
import io.grpc.channelz.v1.GetTopChannelsRequest;
import io.grpc.channelz.v1.GetTopChannelsResponse;
import io.grpc.channelz.v1.Server;
import io.grpc.channelz.v1.Socket;
import io.grpc.channelz.v1.SocketRef;
import io.grpc.channelz.v1.Subchannel;
import io.grpc.stub.StreamObserver;
import io.netty.channel.unix.DomainSocketAddress;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.upstream.SubchannelName;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.http2.SocketView;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.observe.admin.channelz.ChannelzSource.Calls;
import io.outrigger.program.testing.FakeChannelzSource;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What it answers of ours; that it has grpc-java's as well is shown by {@code ChannelzIT}. */
class ProxyChannelzTest {
  private static final long OURS = ChannelzIds.OURS;
  private static final Calls CALLS = new Calls(9, 5, 3);

  private final FakeChannelzSource source = new FakeChannelzSource();
  private final ProxyChannelz service = new ProxyChannelz(source);

  @Test
  void aChannelHasItsTargetStateCallsAndSubchannels() throws Exception {
    show(1, Optional.of(CALLS));

    Channel channel =
        answer(service::getChannel, GetChannelRequest.newBuilder().setChannelId(OURS + 1).build())
            .getChannel();

    assertThat(channel.getRef().getName()).isEqualTo("orders xds:///orders");
    assertThat(channel.getData().getTarget()).isEqualTo("xds:///orders");
    assertThat(channel.getData().getState().getState().name()).isEqualTo("READY");
    assertThat(channel.getData().getCallsStarted()).isEqualTo(9);
    assertThat(channel.getData().getCallsSucceeded()).isEqualTo(5);
    assertThat(channel.getData().getCallsFailed()).isEqualTo(3);
    assertThat(channel.getSubchannelRefList())
        .extracting(ref -> ref.getSubchannelId(), ref -> ref.getName())
        .containsExactly(tuple(OURS + 100, "A 10.0.0.7:80"));
  }

  @Test
  void aTargetNamedByRequestsTellsItsAuthorityAndNoCalls() throws Exception {
    show(1, Optional.empty());

    Channel channel =
        answer(service::getChannel, GetChannelRequest.newBuilder().setChannelId(OURS + 1).build())
            .getChannel();

    assertThat(channel.getRef().getName()).isEqualTo("orders xds:///orders orders.test");
    assertThat(channel.getData().getCallsStarted()).isZero();
  }

  @Test
  void aSubchannelHasTheConnectionsOfItsNameAndTheyCanBeAskedFor() throws Exception {
    SubchannelName shown = show(1, Optional.of(CALLS));
    source.upstream.put(shown, List.of(socket(3, tcp(40_000), tcp(80))));

    var subchannel =
        answer(
                service::getSubchannel,
                GetSubchannelRequest.newBuilder().setSubchannelId(OURS + 100).build())
            .getSubchannel();
    Socket socket = socket(subchannel.getSocketRef(0));

    assertThat(subchannel.getData().getTarget()).isEqualTo("10.0.0.7:80");
    assertThat(subchannel.getSocketRefList())
        .extracting(SocketRef::getName)
        .containsExactly("127.0.0.1:40000 -> 127.0.0.1:80");
    assertThat(socket.getLocal()).isEqualTo(address(40_000));
    assertThat(socket.getRemote()).isEqualTo(address(80));
    assertThat(socket.getData().getStreamsStarted()).isEqualTo(7);
    assertThat(socket.getData().getStreamsSucceeded()).isEqualTo(4);
    assertThat(socket.getData().getStreamsFailed()).isEqualTo(2);
    assertThat(socket.getData().getKeepAlivesSent()).isEqualTo(1);
    assertThat(socket.getData().hasLastLocalStreamCreatedTimestamp())
        .as("no clock is read for each stream")
        .isFalse();
  }

  @Test
  void aUnixSocketIsShownByItsPathAndWhatHasNoAddressHasNone() throws Exception {
    source.downstream.put(
        4L,
        new SocketView(
            4,
            Optional.of(new DomainSocketAddress("/run/o.sock")),
            Optional.empty(),
            new SocketView.Streams(0, 0, 0),
            0));

    Socket socket = socket(SocketRef.newBuilder().setSocketId(ChannelzIds.SOCKETS + 4).build());

    assertThat(socket.getLocal().getUdsAddress().getFilename()).isEqualTo("/run/o.sock");
    assertThat(socket.hasRemote()).isFalse();
  }

  @Test
  void aServerHasTheSocketThatListens() throws Exception {
    show(1, Optional.of(CALLS));

    Server server =
        answer(service::getServer, GetServerRequest.newBuilder().setServerId(OURS + 500).build())
            .getServer();
    Socket listening = socket(server.getListenSocket(0));

    assertThat(server.getRef().getName()).isEqualTo("orders");
    assertThat(server.getData().getCallsStarted()).isEqualTo(9);
    assertThat(server.getData().getCallsSucceeded()).isEqualTo(5);
    assertThat(server.getData().getCallsFailed()).isEqualTo(3);
    assertThat(listening.getLocal()).isEqualTo(address(9001));
    assertThat(listening.hasData()).as("nothing is counted there").isFalse();
    assertThat(answer(service::getServers, GetServersRequest.getDefaultInstance()).getServerList())
        .contains(server);
  }

  @ParameterizedTest(name = "pages of {0}")
  @ValueSource(ints = {-1, 0, 1, 7, 100, 5000})
  void channelsComeInPagesUntilTheEnd(int max) throws Exception {
    show(250, Optional.of(CALLS));
    List<Long> seen = new ArrayList<>();

    long start = OURS;
    boolean end = false;
    while (!end) {
      GetTopChannelsResponse page =
          answer(
              service::getTopChannels,
              GetTopChannelsRequest.newBuilder()
                  .setStartChannelId(start)
                  .setMaxResults(max)
                  .build());
      assertThat(page.getChannelCount()).isBetween(1, max <= 0 ? 100 : Math.min(max, 100));
      page.getChannelList().forEach(each -> seen.add(each.getRef().getChannelId()));
      start = seen.get(seen.size() - 1) + 1;
      end = page.getEnd();
    }

    assertThat(seen).isEqualTo(LongStream.rangeClosed(1, 250).mapToObj(i -> OURS + i).toList());
  }

  @Test
  void serverSocketsComeInPagesUntilTheEnd() throws Exception {
    show(1, Optional.of(CALLS));
    for (long id = 1; id <= 250; id++) {
      source.downstream.put(id, socket(id, tcp(9001), tcp(20_000 + (int) id)));
    }
    List<Long> seen = new ArrayList<>();

    long start = 0;
    boolean end = false;
    while (!end) {
      GetServerSocketsResponse page =
          answer(
              service::getServerSockets,
              GetServerSocketsRequest.newBuilder()
                  .setServerId(OURS + 500)
                  .setStartSocketId(start)
                  .setMaxResults(50)
                  .build());
      assertThat(page.getSocketRefCount()).isEqualTo(50);
      page.getSocketRefList().forEach(each -> seen.add(each.getSocketId()));
      start = seen.get(seen.size() - 1) + 1;
      end = page.getEnd();
    }

    assertThat(seen)
        .isEqualTo(LongStream.rangeClosed(1, 250).mapToObj(i -> ChannelzIds.SOCKETS + i).toList());
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(longs = {987_654_321_987L, OURS + 77, ChannelzIds.SOCKETS + 77})
  void whatIsNotThereIsNotFoundByItsId(long id) {
    show(1, Optional.of(CALLS));

    assertNotFound(
        id, service::getChannel, GetChannelRequest.newBuilder().setChannelId(id).build());
    assertNotFound(
        id, service::getSubchannel, GetSubchannelRequest.newBuilder().setSubchannelId(id).build());
    assertNotFound(id, service::getSocket, GetSocketRequest.newBuilder().setSocketId(id).build());
    assertNotFound(id, service::getServer, GetServerRequest.newBuilder().setServerId(id).build());
    assertNotFound(
        id,
        service::getServerSockets,
        GetServerSocketsRequest.newBuilder().setServerId(id).build());
  }

  /** So many targets, numbered from 1; the first has subchannel 100, the forward is server 500. */
  private SubchannelName show(int channels, Optional<Calls> calls) {
    var target = new TargetName("orders", "xds:///orders", "orders.test");
    var name = new SubchannelName(target, "A", new EndpointAddress("10.0.0.7", 80));
    Subchannel subchannel =
        ChannelzMessages.subchannel(
            OURS + 100, name, Connectivity.READY, new SubchannelCalls(1, 5, 3));
    NavigableMap<Long, Channel> all = new TreeMap<>();
    for (long id = OURS + 1; id <= OURS + channels; id++) {
      Channel.Builder channel = ChannelzMessages.channel(id, target, Connectivity.READY, calls);
      if (id == OURS + 1) {
        channel.addSubchannelRef(subchannel.getRef());
      }
      all.put(id, channel.build());
    }
    Socket listening =
        ChannelzMessages.listenSocket(OURS + 501, new ListenAddress.Tcp("127.0.0.1", 9001));
    Server server = ChannelzMessages.server(OURS + 500, "orders", listening, CALLS);
    source.view =
        new ChannelzSource.View(
            all,
            Map.of(OURS + 100, subchannel),
            Map.of(OURS + 100, name),
            new TreeMap<>(Map.of(OURS + 500, server)),
            Map.of(OURS + 501, listening));
    return name;
  }

  private Socket socket(SocketRef ref) throws Exception {
    return answer(
            service::getSocket,
            GetSocketRequest.newBuilder().setSocketId(ref.getSocketId()).build())
        .getSocket();
  }

  private static SocketView socket(long id, SocketAddress local, SocketAddress remote) {
    return new SocketView(
        id, Optional.of(local), Optional.of(remote), new SocketView.Streams(7, 4, 2), 1);
  }

  private static SocketAddress tcp(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static Address address(int port) {
    return Address.newBuilder()
        .setTcpipAddress(
            Address.TcpIpAddress.newBuilder()
                .setIpAddress(ByteString.copyFrom(new byte[] {127, 0, 0, 1}))
                .setPort(port))
        .build();
  }

  private static <Q, T> void assertNotFound(
      long id, BiConsumer<Q, StreamObserver<T>> method, Q request) {
    Status status = status(catchThrowable(() -> answer(method, request)));

    assertThat(status.getCode()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(status.getDescription()).contains(String.valueOf(id));
  }

  private static Status status(Throwable failure) {
    assertThat(failure).isInstanceOf(ExecutionException.class);
    return Status.fromThrowable(failure);
  }

  /** What came of a call. */
  private static <Q, T> T answer(BiConsumer<Q, StreamObserver<T>> method, Q request)
      throws Exception {
    var answer = new CompletableFuture<T>();
    method.accept(
        request,
        new StreamObserver<>() {
          private T message;

          @Override
          public void onNext(T next) {
            message = next;
          }

          @Override
          public void onError(Throwable failure) {
            answer.completeExceptionally(failure);
          }

          @Override
          public void onCompleted() {
            answer.complete(message);
          }
        });
    return answer.get(60, TimeUnit.SECONDS);
  }
}
