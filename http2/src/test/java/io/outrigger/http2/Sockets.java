package io.outrigger.http2;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.outrigger.http2.EventLoops.TransportKind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.function.Supplier;

/** Event loops with listeners and connections on loopback sockets. */
final class Sockets implements AutoCloseable {
  final EventLoops loops;

  Sockets(TransportKind kind, int count) {
    loops = EventLoops.start(kind, count);
  }

  /** Listens with {@code handler} on each accepted channel, and returns the address. */
  SocketAddress listen(SocketAddress address, Supplier<? extends ChannelHandler> handler) {
    return new ServerBootstrap()
        .group(loops.group())
        .channel(loops.serverChannel(address))
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handler.get());
              }
            })
        .bind(address)
        .syncUninterruptibly()
        .channel()
        .localAddress();
  }

  /** Listens on a free loopback port. */
  InetSocketAddress listen(Supplier<? extends ChannelHandler> handler) {
    var any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return (InetSocketAddress) listen(any, handler);
  }

  Channel connect(SocketAddress address, ChannelHandler handler) {
    return new Bootstrap()
        .group(loops.group())
        .channel(loops.clientChannel(address))
        .handler(handler)
        .connect(address)
        .syncUninterruptibly()
        .channel();
  }

  @Override
  public void close() {
    loops.stop(Duration.ofSeconds(5));
  }
}
