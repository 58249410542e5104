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
import io.outrigger.dataplane.upstream.SubchannelName;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.http2.SocketView;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.observe.admin.channelz.ChannelzSource.Calls;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.Optional;

/** Creates channelz messages (A14); unknown values are left out. All methods are pure functions. */
final class ChannelzMessages {
  private ChannelzMessages() {}

  /**
   * Returns a channel without its subchannels. If a forward selects its target by the {@code
   * :authority} of requests, the channel's name contains the target's authority.
   *
   * @param calls the numbers of calls; empty when calls are counted for several targets together
   */
  static Channel.Builder channel(
      long id, TargetName target, Connectivity state, Optional<Calls> calls) {
    String name = target.forward() + " " + target.target();
    return Channel.newBuilder()
        .setRef(
            ChannelRef.newBuilder()
                .setChannelId(id)
                .setName(calls.isPresent() ? name : name + " " + target.authority()))
        .setData(data(state, target.target(), calls.orElse(new Calls(0, 0, 0))));
  }

  static Subchannel subchannel(
      long id, SubchannelName name, Connectivity state, SubchannelCalls calls) {
    String endpoint = name.endpoint().toString();
    return Subchannel.newBuilder()
        .setRef(
            SubchannelRef.newBuilder().setSubchannelId(id).setName(name.cluster() + " " + endpoint))
        .setData(
            data(state, endpoint, new Calls(calls.issued(), calls.succeeded(), calls.failed())))
        .build();
  }

  private static ChannelData data(Connectivity state, String target, Calls calls) {
    return ChannelData.newBuilder()
        .setState(
            ChannelConnectivityState.newBuilder()
                .setState(ChannelConnectivityState.State.valueOf(state.name())))
        .setTarget(target)
        .setCallsStarted(calls.started())
        .setCallsSucceeded(calls.succeeded())
        .setCallsFailed(calls.failed())
        .build();
  }

  static Server server(long id, String forward, Socket listening, Calls calls) {
    return Server.newBuilder()
        .setRef(ServerRef.newBuilder().setServerId(id).setName(forward))
        .setData(
            ServerData.newBuilder()
                .setCallsStarted(calls.started())
                .setCallsSucceeded(calls.succeeded())
                .setCallsFailed(calls.failed()))
        .addListenSocket(listening.getRef())
        .build();
  }

  static Socket listenSocket(long id, ListenAddress listen) {
    return Socket.newBuilder()
        .setRef(SocketRef.newBuilder().setSocketId(id).setName(listen.toString()))
        .setLocal(address(listen))
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

  /** Returns a port's address for channelz; a host name appears as configured. */
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
