package io.outrigger.xds.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.dns.Exchange.Reply;
import io.outrigger.xds.testing.ScriptedNameServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ExchangeTest {
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = group.next();

  @AfterEach
  void stop() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private Reply ask(int port, ChannelFactory<DatagramChannel> sockets) throws Exception {
    var answer = new CompletableFuture<Reply>();
    loop.execute(
        () ->
            new Exchange(
                    loop,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    new DefaultDnsQuestion("pay.test.", DnsRecordType.A),
                    Duration.ofSeconds(30),
                    sockets,
                    reply -> {
                      assertThat(loop.inEventLoop()).isTrue();
                      answer.complete(reply);
                    })
                .start(/* overTcp= */ false));
    return answer.get(20, TimeUnit.SECONDS);
  }

  @Conformance("KN-10")
  @Test
  void aSocketThatCannotBeOpenedIsAFailureAndNotSilence() throws Exception {
    try (var server = new ScriptedNameServer("127.0.0.1", 0)) {
      server.udp = query -> List.of(query.answer("10.0.0.1"));

      Reply failure =
          ask(
              server.port(),
              () -> {
                throw new ChannelException("no socket", new IOException("Too many open files"));
              });

      assertThat(failure)
          .isEqualTo(
              new Reply.Failed(
                  "127.0.0.1:%d cannot be reached: too many open files".formatted(server.port())));
      assertThat(ask(server.port(), NioDatagramChannel::new)).isInstanceOf(Reply.Found.class);
    }
  }
}
