package io.outrigger.xds.testing;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsQuery;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DefaultDnsResponse;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.handler.codec.dns.TcpDnsQueryDecoder;
import io.netty.handler.codec.dns.TcpDnsResponseEncoder;
import io.netty.util.NetUtil;
import io.outrigger.base.AnyThread;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A name server on a loopback port, by UDP and TCP. Names that it was not told of do not exist. */
@AnyThread
public final class NameServer implements AutoCloseable {
  private static final int ATTEMPTS = 20;

  /** What is said of one name. */
  private record Answer(DnsResponseCode code, List<String> ips, boolean mute, boolean truncated) {
    static final Answer NONE = new Answer(DnsResponseCode.NXDOMAIN, List.of(), false, false);
  }

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final AtomicInteger queries = new AtomicInteger();
  private final Channel udp;

  /** Serves, from now on. */
  public NameServer() {
    udp = bound();
  }

  /** The TCP port of that number may be taken: then another is tried. */
  private Channel bound() {
    for (int i = 0; i < ATTEMPTS; i++) {
      Channel datagrams = datagrams().bind(loopback(0)).syncUninterruptibly().channel();
      int port = ((InetSocketAddress) datagrams.localAddress()).getPort();
      if (streams().bind(loopback(port)).awaitUninterruptibly().isSuccess()) {
        return datagrams;
      }
      datagrams.close().syncUninterruptibly();
    }
    throw new AssertionError("no port is free for both UDP and TCP");
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private Bootstrap datagrams() {
    return new Bootstrap()
        .group(group)
        .channel(NioDatagramChannel.class)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel
                    .pipeline()
                    .addLast(
                        new DatagramDnsQueryDecoder(),
                        new DatagramDnsResponseEncoder(),
                        new Datagrams());
              }
            });
  }

  private ServerBootstrap streams() {
    return new ServerBootstrap()
        .group(group)
        .channel(NioServerSocketChannel.class)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel
                    .pipeline()
                    .addLast(new TcpDnsQueryDecoder(), new TcpDnsResponseEncoder(), new Streams());
              }
            });
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) udp.localAddress();
  }

  /** How many queries have come. */
  public int queries() {
    return queries.get();
  }

  /** From now on {@code name} has these addresses, of both families. */
  public NameServer answer(String name, String... ips) {
    return put(name, new Answer(DnsResponseCode.NOERROR, List.of(ips), false, false));
  }

  /** The same in answers that are too long for UDP. */
  public NameServer answerLong(String name, String... ips) {
    return put(name, new Answer(DnsResponseCode.NOERROR, List.of(ips), false, true));
  }

  /** From now on {@code name} is refused with {@code code}. */
  public NameServer fail(String name, DnsResponseCode code) {
    return put(name, new Answer(code, List.of(), false, false));
  }

  /** From now on nothing is said of {@code name}. */
  public NameServer keepSilentOf(String name) {
    return put(name, new Answer(DnsResponseCode.NOERROR, List.of(), true, false));
  }

  private NameServer put(String name, Answer answer) {
    answers.put(name + ".", answer);
    return this;
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private Answer asked(DnsQuestion question) {
    queries.incrementAndGet();
    return answers.getOrDefault(question.name(), Answer.NONE);
  }

  private static <R extends DnsResponse> R filled(
      R response, DnsQuestion question, Answer answer, boolean truncated) {
    response.setCode(answer.code());
    response.setTruncated(truncated);
    response.addRecord(DnsSection.QUESTION, question);
    if (!truncated) {
      for (String ip : answer.ips()) {
        DnsRecordType type = ip.indexOf(':') < 0 ? DnsRecordType.A : DnsRecordType.AAAA;
        if (type.equals(question.type())) {
          byte[] bytes = NetUtil.createByteArrayFromIpAddressString(ip);
          response.addRecord(
              DnsSection.ANSWER,
              new DefaultDnsRawRecord(question.name(), type, 60, Unpooled.wrappedBuffer(bytes)));
        }
      }
    }
    return response;
  }

  private final class Datagrams extends SimpleChannelInboundHandler<DatagramDnsQuery> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramDnsQuery query) {
      DnsQuestion question = query.recordAt(DnsSection.QUESTION);
      Answer answer = asked(question);
      if (!answer.mute()) {
        var unused =
            context.writeAndFlush(
                filled(
                    new DatagramDnsResponse(
                        /* sender= */ query.recipient(),
                        /* recipient= */ query.sender(),
                        query.id()),
                    question,
                    answer,
                    answer.truncated()));
      }
    }
  }

  private final class Streams extends SimpleChannelInboundHandler<DefaultDnsQuery> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, DefaultDnsQuery query) {
      DnsQuestion question = query.recordAt(DnsSection.QUESTION);
      var unused =
          context.writeAndFlush(
              filled(new DefaultDnsResponse(query.id()), question, asked(question), false));
    }
  }
}
