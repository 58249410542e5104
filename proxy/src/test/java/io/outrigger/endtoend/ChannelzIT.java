package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.channelz.v1.Channel;
import io.grpc.channelz.v1.ChannelzGrpc;
import io.grpc.channelz.v1.GetChannelRequest;
import io.grpc.channelz.v1.GetServerRequest;
import io.grpc.channelz.v1.GetServerSocketsRequest;
import io.grpc.channelz.v1.GetServersRequest;
import io.grpc.channelz.v1.GetSocketRequest;
import io.grpc.channelz.v1.GetSubchannelRequest;
import io.grpc.channelz.v1.GetTopChannelsRequest;
import io.grpc.channelz.v1.GetTopChannelsResponse;
import io.grpc.channelz.v1.Server;
import io.grpc.channelz.v1.Socket;
import io.grpc.channelz.v1.SocketRef;
import io.grpc.channelz.v1.Subchannel;
import io.grpc.netty.NettyChannelBuilder;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Channelz of a running sidecar: its own connections, and grpc-java's to the control plane. */
@Timeout(600)
class ChannelzIT {
  private static final String NAME = "orders xds:///orders";

  private final Mesh mesh = new Mesh().with(Flag.ADMIN_GRPC, "127.0.0.1:0");
  private final Backend backend = mesh.backend("a");
  private ChannelzGrpc.ChannelzBlockingStub channelz;

  @AfterEach
  void close() {
    mesh.close();
  }

  private void start() throws Exception {
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", backend),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.startReady();
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(mesh.proxy().address(Flag.ADMIN_GRPC).orElseThrow())
            .usePlaintext()
            .build();
    mesh.keep(() -> channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS));
    channelz = ChannelzGrpc.newBlockingStub(channel);
  }

  @Test
  void aCallIsSeenInTheChannelItsSubchannelAndItsSocket() throws Exception {
    start();
    mesh.app().call("/shop.Orders/List").backend();
    Await.until(
        "the call has ended everywhere",
        () ->
            forward().getData().getCallsSucceeded() == 1
                && subchannel().getData().getCallsSucceeded() == 1
                && streamsSucceeded() == 1);

    Channel top = forward();
    Channel channel =
        channelz
            .getChannel(
                GetChannelRequest.newBuilder().setChannelId(top.getRef().getChannelId()).build())
            .getChannel();
    Subchannel subchannel = subchannel();
    Socket socket = socket(subchannel.getSocketRef(0));

    assertThat(channel.getRef()).isEqualTo(top.getRef());
    assertThat(channel.getData().getTarget()).isEqualTo("xds:///orders");
    assertThat(channel.getData().getState().getState().name()).isEqualTo("READY");
    assertThat(channel.getData().getCallsStarted()).isEqualTo(1);
    assertThat(channel.getData().getCallsFailed()).isZero();
    assertThat(subchannel.getData().getTarget()).isEqualTo("127.0.0.1:" + backend.port());
    assertThat(subchannel.getData().getState().getState().name()).isEqualTo("READY");
    assertThat(subchannel.getData().getCallsStarted()).isEqualTo(1);
    assertThat(socket.getRemote().getTcpipAddress().getPort()).isEqualTo(backend.port());
    assertThat(socket.getLocal().getTcpipAddress().getPort()).isPositive();
    assertThat(socket.getData().getStreamsFailed()).isZero();
  }

  @Test
  void aConnectionThatIsGoneIsNotShownAndTheSubchannelStays() throws Exception {
    start();
    mesh.app().call("/shop.Orders/List").backend();
    Subchannel before = subchannel();
    SocketRef socket = before.getSocketRef(0);

    backend.kill();

    Await.until(
        "the socket is gone",
        () -> status(() -> socket(socket)).getCode() == Status.Code.NOT_FOUND);
    assertThat(status(() -> socket(socket)).getDescription())
        .contains(String.valueOf(socket.getSocketId()));
    Await.until("the subchannel has none", () -> subchannel().getSocketRefCount() == 0);
    assertThat(subchannel().getRef()).isEqualTo(before.getRef());
  }

  @Test
  void theForwardIsAServerAndItsAppsAreSockets() throws Exception {
    start();
    for (int i = 0; i < 3; i++) {
      mesh.app().call("/shop.Orders/List").backend();
    }
    Await.until("the calls have ended", () -> server().getData().getCallsSucceeded() == 3);

    Server server = server();
    List<SocketRef> sockets = new ArrayList<>();
    long start = 0;
    boolean end = false;
    for (int page = 1; !end; page++) {
      assertThat(page).isLessThanOrEqualTo(3);
      var answer =
          channelz.getServerSockets(
              GetServerSocketsRequest.newBuilder()
                  .setServerId(server.getRef().getServerId())
                  .setStartSocketId(start)
                  .setMaxResults(1)
                  .build());
      sockets.addAll(answer.getSocketRefList());
      start = sockets.get(sockets.size() - 1).getSocketId() + 1;
      end = answer.getEnd();
    }

    assertThat(sockets).hasSize(3).extracting(SocketRef::getSocketId).isSorted();
    for (SocketRef each : sockets) {
      Socket socket = socket(each);
      assertThat(socket.getLocal().getTcpipAddress().getPort()).isEqualTo(mesh.address().getPort());
      Await.until("its stream has ended", () -> socket(each).getData().getStreamsSucceeded() == 1);
    }
    assertThat(
            channelz
                .getServer(
                    GetServerRequest.newBuilder()
                        .setServerId(server.getRef().getServerId())
                        .build())
                .getServer()
                .getRef())
        .isEqualTo(server.getRef());
    assertThat(socket(server.getListenSocket(0)).getLocal().getTcpipAddress().getPort())
        .isEqualTo(mesh.address().getPort());
  }

  @Test
  void pagesGoThroughGrpcJavasChannelsAndThenOurs() throws Exception {
    start();
    List<String> targets = new ArrayList<>();

    long start = 0;
    boolean end = false;
    while (!end) {
      GetTopChannelsResponse page =
          channelz.getTopChannels(
              GetTopChannelsRequest.newBuilder().setStartChannelId(start).setMaxResults(1).build());
      assertThat(page.getChannelCount()).isEqualTo(1);
      Channel channel = page.getChannel(0);
      assertThat(channel.getRef().getChannelId()).isGreaterThanOrEqualTo(start);
      targets.add(channel.getData().getTarget());
      start = channel.getRef().getChannelId() + 1;
      end = page.getEnd();
    }

    assertThat(targets).contains(mesh.controlPlane.target()).endsWith("xds:///orders");
  }

  @Test
  void targetsThatRequestsNameAreChannelsOfTheirOwn() throws Exception {
    mesh.with(Flag.FORWARD, Mesh.FORWARD + "@127.0.0.1:0=xds:///*");
    start();
    mesh.appFor("orders").call("/shop.Orders/List").backend();

    Channel channel = forward();

    assertThat(channel.getRef().getName()).isEqualTo(NAME + " orders");
    assertThat(channel.getData().getCallsStarted()).as("counted for the forward").isZero();
    assertThat(subchannel().getSocketRefCount()).isPositive();
    Await.until("the call has ended", () -> server().getData().getCallsSucceeded() == 1);
  }

  @Test
  void whatIsNotThereIsNotFound() throws Exception {
    start();
    long nobody = forward().getRef().getChannelId() + 1_000_000;

    Status status =
        status(
            () -> channelz.getChannel(GetChannelRequest.newBuilder().setChannelId(nobody).build()));

    assertThat(status.getCode()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(status.getDescription()).isEqualTo("there is no channel " + nobody);
  }

  private Channel forward() {
    return channelz
        .getTopChannels(GetTopChannelsRequest.getDefaultInstance())
        .getChannelList()
        .stream()
        .filter(each -> each.getRef().getName().startsWith(NAME))
        .findAny()
        .orElseThrow();
  }

  private Subchannel subchannel() {
    return channelz
        .getSubchannel(
            GetSubchannelRequest.newBuilder()
                .setSubchannelId(forward().getSubchannelRef(0).getSubchannelId())
                .build())
        .getSubchannel();
  }

  private long streamsSucceeded() {
    return subchannel().getSocketRefList().stream()
        .mapToLong(each -> socket(each).getData().getStreamsSucceeded())
        .sum();
  }

  private Socket socket(SocketRef ref) {
    return channelz
        .getSocket(GetSocketRequest.newBuilder().setSocketId(ref.getSocketId()).build())
        .getSocket();
  }

  private Server server() {
    return channelz.getServers(GetServersRequest.getDefaultInstance()).getServerList().stream()
        .filter(each -> each.getRef().getName().equals(Mesh.FORWARD))
        .findAny()
        .orElseThrow();
  }

  private static Status status(Supplier<?> call) {
    StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class, call::get);
    return failure == null ? Status.OK : failure.getStatus();
  }
}
