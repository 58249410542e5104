package io.outrigger.observe.admin.channelz;

import com.google.protobuf.ByteString;
import io.grpc.channelz.v1.Address;
import io.grpc.channelz.v1.Channel;
import io.grpc.channelz.v1.ChannelConnectivityState;
import io.grpc.channelz.v1.ChannelData;
import io.grpc.channelz.v1.ChannelRef;
import io.grpc.channelz.v1.Server;
import io.grpc.channelz.v1.ServerData;
import io.grpc.channelz.v1.ServerRef;
import io.grpc.channelz.v1.Socket;
import io.grpc.channelz.v1.SocketData;
import io.grpc.channelz.v1.SocketRef;
import io.grpc.channelz.v1.Subchannel;
import io.grpc.channelz.v1.SubchannelRef;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.NetUtil;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.http2.SocketView;
import io.outrigger.lb.state.Connectivity;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.List;

/**
 * Converts views to channelz messages (A14); unknown values are left out. All methods are pure
 * functions.
 */
final class ChannelzMessages {
  private ChannelzMessages() {}

  static Channel channel(ChannelzView.Channel channel) {
    var data =
        ChannelData.newBuilder()
            .setState(state(channel.state()))
            .setTarget(channel.name().target());
    channel
        .calls()
        .ifPresent(
            calls ->
                data.setCallsStarted(calls.started())
                    .setCallsSucceeded(calls.succeeded())
                    .setCallsFailed(calls.failed()));
    var message =
        Channel.newBuilder()
            .setRef(ChannelRef.newBuilder().setChannelId(channel.id()).setName(name(channel)))
            .setData(data);
    channel.subchannels().forEach(each -> message.addSubchannelRef(ref(each)));
    return message.build();
  }

  /**
   * Returns the channel's name. The name contains the authority when each request's authority
   * selects the target of its forward.
   */
  private static String name(ChannelzView.Channel channel) {
    String name = channel.name().forward() + " " + channel.name().target();
    return channel.calls().isPresent() ? name : name + " " + channel.name().authority();
  }

  static Subchannel subchannel(ChannelzView.Subchannel subchannel, List<SocketView> sockets) {
    var message =
        Subchannel.newBuilder()
            .setRef(ref(subchannel))
            .setData(
                ChannelData.newBuilder()
                    .setState(state(subchannel.state()))
                    .setTarget(subchannel.name().endpoint().toString())
                    .setCallsStarted(subchannel.calls().started())
                    .setCallsSucceeded(subchannel.calls().succeeded())
                    .setCallsFailed(subchannel.calls().failed()));
    sockets.forEach(each -> message.addSocketRef(ref(each)));
    return message.build();
  }

  private static SubchannelRef ref(ChannelzView.Subchannel subchannel) {
    return SubchannelRef.newBuilder()
        .setSubchannelId(subchannel.id())
        .setName(subchannel.name().cluster() + " " + subchannel.name().endpoint())
        .build();
  }

  static Server server(ChannelzView.Server server) {
    return Server.newBuilder()
        .setRef(ServerRef.newBuilder().setServerId(server.id()).setName(server.forward()))
        .setData(
            ServerData.newBuilder()
                .setCallsStarted(server.calls().started())
                .setCallsSucceeded(server.calls().succeeded())
                .setCallsFailed(server.calls().failed()))
        .addListenSocket(listenRef(server))
        .build();
  }

  static Socket listenSocket(ChannelzView.Server server) {
    return Socket.newBuilder().setRef(listenRef(server)).setLocal(address(server.listen())).build();
  }

  private static SocketRef listenRef(ChannelzView.Server server) {
    return SocketRef.newBuilder()
        .setSocketId(server.listenSocket())
        .setName(server.listen().toString())
        .build();
  }

  static Socket socket(SocketView socket) {
    var message =
        Socket.newBuilder()
            .setRef(ref(socket))
            .setData(
                SocketData.newBuilder()
                    .setStreamsStarted(socket.streams().started())
                    .setStreamsSucceeded(socket.streams().succeeded())
                    .setStreamsFailed(socket.streams().failed())
                    .setKeepAlivesSent(socket.keepAlivesSent()));
    socket.local().ifPresent(local -> message.setLocal(address(local)));
    socket.remote().ifPresent(remote -> message.setRemote(address(remote)));
    return message.build();
  }

  static SocketRef ref(SocketView socket) {
    return SocketRef.newBuilder()
        .setSocketId(ChannelzIds.SOCKETS + socket.id())
        .setName(
            socket.local().map(ChannelzMessages::text).orElse("")
                + " -> "
                + socket.remote().map(ChannelzMessages::text).orElse(""))
        .build();
  }

  private static ChannelConnectivityState state(Connectivity state) {
    return ChannelConnectivityState.newBuilder()
        .setState(ChannelConnectivityState.State.valueOf(state.name()))
        .build();
  }

  /**
   * Returns the address; a host that is a name rather than an address is shown as it was written.
   */
  private static Address address(ListenAddress listen) {
    if (listen instanceof ListenAddress.Unix unix) {
      return unix(unix.path());
    }
    var tcp = (ListenAddress.Tcp) listen;
    byte[] ip = NetUtil.createByteArrayFromIpAddressString(tcp.host());
    return ip == null ? other(tcp.toString()) : tcp(ip, tcp.port());
  }

  private static Address address(SocketAddress address) {
    if (address instanceof InetSocketAddress tcp && tcp.getAddress() != null) {
      return tcp(tcp.getAddress().getAddress(), tcp.getPort());
    }
    return address instanceof DomainSocketAddress || address instanceof UnixDomainSocketAddress
        ? unix(text(address))
        : other(text(address));
  }

  private static Address tcp(byte[] ip, int port) {
    return Address.newBuilder()
        .setTcpipAddress(
            Address.TcpIpAddress.newBuilder().setIpAddress(ByteString.copyFrom(ip)).setPort(port))
        .build();
  }

  private static Address unix(String path) {
    return Address.newBuilder()
        .setUdsAddress(Address.UdsAddress.newBuilder().setFilename(path))
        .build();
  }

  private static Address other(String name) {
    return Address.newBuilder()
        .setOtherAddress(Address.OtherAddress.newBuilder().setName(name))
        .build();
  }

  private static String text(SocketAddress address) {
    if (address instanceof DomainSocketAddress unix) {
      return unix.path();
    }
    return address instanceof InetSocketAddress tcp
        ? NetUtil.toSocketAddressString(tcp)
        : address.toString();
  }
}
