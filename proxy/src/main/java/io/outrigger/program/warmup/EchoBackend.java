package io.outrigger.program.warmup;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.AsciiString;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.outrigger.base.AnyThread;
import io.outrigger.base.LoopConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A gRPC server on a loopback port that echoes the message of every call, with status OK. */
@AnyThread
final class EchoBackend {
  private static final HeaderList HEADERS =
      HeaderList.builder(2)
          .add(HeaderList.STATUS, AsciiString.cached("200"))
          .add(AsciiString.cached("content-type"), AsciiString.cached("application/grpc"))
          .build();
  private static final HeaderList TRAILERS =
      HeaderList.builder(1).add(AsciiString.cached("grpc-status"), AsciiString.cached("0")).build();

  /** The server channel and its connections. */
  private final ChannelGroup channels;

  private final InetSocketAddress address;

  private EchoBackend(ChannelGroup channels, InetSocketAddress address) {
    this.channels = channels;
    this.address = address;
  }

  /** Opens a free port; blocks until the port is bound. */
  static EchoBackend open(EventLoops loops) throws IOException {
    ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    var wanted = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var binding =
        new ServerBootstrap()
            .group(loops.group(), loops.group())
            .channel(loops.serverChannel(wanted))
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channels.add(channel);
                    channel
                        .pipeline()
                        .addLast(
                            Http2Connection.server(
                                ConnectionSettings.DEFAULT, connection -> new Connection()));
                  }
                })
            .bind(wanted)
            .awaitUninterruptibly();
    if (!binding.isSuccess()) {
      throw new IOException("cannot listen on " + wanted, binding.cause());
    }
    channels.add(binding.channel());
    return new EchoBackend(channels, (InetSocketAddress) binding.channel().localAddress());
  }

  EndpointAddress address() {
    return new EndpointAddress(address.getAddress().getHostAddress(), address.getPort());
  }

  /** Closes the port and every connection. */
  void close() {
    var unused = channels.close();
  }

  @LoopConfined
  private static final class Connection implements ConnectionHandler {
    @Override
    public void onReady() {}

    @Override
    public StreamHandler onStream(Http2Stream stream) {
      return new Call(stream);
    }

    @Override
    public void onGoAway(int lastStreamId, Http2Error error, String debug) {}

    @Override
    public void onCapacity() {}

    @Override
    public void onClosed(String reason) {}
  }

  @LoopConfined
  private record Call(Http2Stream stream) implements StreamHandler {
    @Override
    public void onHeaders(HeaderList headers, boolean endStream) {
      stream.sendHeaders(HEADERS, false);
      if (endStream) {
        stream.sendHeaders(TRAILERS, true);
      }
    }

    @Override
    public void onData(ByteBuf data, boolean endStream) {
      int bytes = data.readableBytes();
      stream.sendData(data, false);
      stream.consumed(bytes); // returned at once, since one small message needs no flow control
      if (endStream) {
        stream.sendHeaders(TRAILERS, true);
      }
    }

    @Override
    public void onDataSent(int bytes) {}

    @Override
    public void onReset(Http2Error error, boolean byPeer) {}

    @Override
    public void onConnectionLost(boolean refused, String reason) {}
  }
}
