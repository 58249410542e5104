package io.outrigger.xds.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.outrigger.base.ControlThread;
import io.outrigger.base.Outcome;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.testing.Conformance;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a name server of our own on a loopback port. */
class NettyDnsLookupTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ControlThread control = new ControlThread("test-control");
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private Channel server;
  private NettyDnsLookup lookup;

  @BeforeEach
  void start() throws Exception {
    startServer();
    // Longer than any pause of the machine: an answer that came must win over the timer.
    startLookup(PATIENCE);
  }

  private void startServer() throws Exception {
    server =
        new Bootstrap()
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
                            new NameServer());
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel();
  }

  private void startLookup(Duration queryTimeout) {
    EventLoop loop = group.next();
    var resolver =
        new DnsNameResolverBuilder(loop)
            .datagramChannelType(NioDatagramChannel.class)
            .nameServerProvider(
                new SingletonDnsServerAddressStreamProvider(
                    (InetSocketAddress) server.localAddress()))
            .resolveCache(NoopDnsCache.INSTANCE)
            .searchDomains(List.of())
            .queryTimeoutMillis(queryTimeout.toMillis())
            .build();
    lookup = new NettyDnsLookup(control, () -> new NettyDnsLookup.Resolver(resolver, () -> {}));
  }

  @AfterEach
  void stop() throws Exception {
    control.execute(lookup::close);
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    control.close();
  }

  /** Knows {@code two.example}; says nothing about {@code mute.example}; denies all others. */
  private static final class NameServer extends SimpleChannelInboundHandler<DatagramDnsQuery> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramDnsQuery query) {
      DnsQuestion question = query.recordAt(DnsSection.QUESTION);
      if (question.name().startsWith("mute.")) {
        return;
      }
      boolean known = question.name().equals("two.example.");
      var response =
          new DatagramDnsResponse(
              /* sender= */ query.recipient(), /* recipient= */ query.sender(), query.id());
      response.setCode(known ? DnsResponseCode.NOERROR : DnsResponseCode.NXDOMAIN);
      response.addRecord(DnsSection.QUESTION, question);
      if (known && question.type().equals(DnsRecordType.A)) {
        response.addRecord(DnsSection.ANSWER, address(10, 0, 0, 1));
        response.addRecord(DnsSection.ANSWER, address(10, 0, 0, 2));
      }
      var unused = context.writeAndFlush(response);
    }

    private static DefaultDnsRawRecord address(int... octets) {
      ByteBuf bytes = Unpooled.buffer(4);
      for (int octet : octets) {
        bytes.writeByte(octet);
      }
      return new DefaultDnsRawRecord("two.example.", DnsRecordType.A, 60, bytes);
    }
  }

  private Outcome<List<EndpointAddress>> resolve(String host) throws Exception {
    var answer = new CompletableFuture<Outcome<List<EndpointAddress>>>();
    control.execute(
        () ->
            lookup.resolve(
                host,
                443,
                outcome -> {
                  control.checkInside();
                  answer.complete(outcome);
                }));
    return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void nameHasAllItsAddressesOnTheControlLoop() throws Exception {
    assertThat(resolve("two.example").toOptional())
        .contains(
            List.of(new EndpointAddress("10.0.0.1", 443), new EndpointAddress("10.0.0.2", 443)));
  }

  @Test
  void unknownNameFailsWithItsName() throws Exception {
    var status = resolve("nowhere.example").status();

    assertThat(status.message()).contains("nowhere.example").contains("NXDOMAIN");
  }

  @Conformance("A37-08")
  @Test
  void silentNameServerBlocksNobody() throws Exception {
    var slow = new CompletableFuture<Outcome<List<EndpointAddress>>>();
    control.execute(() -> lookup.resolve("mute.example", 443, slow::complete));

    assertThat(resolve("two.example").isOk()).isTrue();
    assertThat(slow).isNotDone();
  }

  @Conformance("A37-08")
  @Test
  void silentNameServerTimesOut() throws Exception {
    control.execute(lookup::close);
    startLookup(Duration.ofMillis(200));

    assertThat(resolve("mute.example").status().message()).contains("mute.example");
  }

  @Test
  void literalsAndTheHostsFileNeedNoNameServer() throws Exception {
    server.close().sync();

    assertThat(resolve("192.0.2.7").toOptional())
        .contains(List.of(new EndpointAddress("192.0.2.7", 443)));
    assertThat(resolve("2001:DB8:0:0::1").toOptional())
        .contains(List.of(new EndpointAddress("2001:db8::1", 443)));
    assertThat(resolve("localhost").toOptional().orElseThrow())
        .contains(new EndpointAddress("127.0.0.1", 443));
  }

  @Test
  void systemSettingsMakeAResolver() throws Exception {
    control.execute(lookup::close);
    lookup = new NettyDnsLookup(control);

    assertThat(resolve("localhost").toOptional().orElseThrow())
        .contains(new EndpointAddress("127.0.0.1", 443));
  }

  @Test
  void cancelledLookupIsSilent() throws Exception {
    var answer = new CompletableFuture<Outcome<List<EndpointAddress>>>();
    control.execute(
        () -> {
          lookup.resolve("192.0.2.7", 443, answer::complete).cancel();
          lookup.resolve("two.example", 443, answer::complete).cancel();
        });

    assertThat(resolve("two.example").isOk()).isTrue();
    assertThat(answer).isNotDone();
  }
}
