package io.outrigger.xds.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.outrigger.base.ControlThread;
import io.outrigger.base.Outcome;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.NameServer;
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
  private final NameServer server =
      new NameServer()
          .answer("two.example", "10.0.0.1", "10.0.0.2")
          .answer("both.example", "10.0.0.1", "2001:db8::1")
          .answerLong("long.example", "10.0.0.1", "10.0.0.2")
          .fail("broken.example", DnsResponseCode.SERVFAIL)
          .keepSilentOf("mute.example");
  private NettyDnsLookup lookup;

  @BeforeEach
  void start() {
    // Longer than any pause of the machine: an answer that came must win over the timer.
    startLookup(PATIENCE);
  }

  private void startLookup(Duration queryTimeout) {
    var resolver =
        new DnsNameResolverBuilder(group.next())
            .datagramChannelType(NioDatagramChannel.class)
            .nameServerProvider(new SingletonDnsServerAddressStreamProvider(server.address()))
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
    server.close();
    control.close();
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

  @Conformance("DI-08")
  @Test
  void addressesOfBothFamiliesCount() throws Exception {
    ask();

    assertThat(resolve("both.example").toOptional().orElseThrow())
        .containsExactlyInAnyOrder(
            new EndpointAddress("10.0.0.1", 443), new EndpointAddress("2001:db8::1", 443));
  }

  @Conformance("DI-08")
  @Test
  void anAnswerTooLongForUdpIsAskedForByTcp() throws Exception {
    ask();

    assertThat(resolve("long.example").toOptional().orElseThrow())
        .containsExactly(
            new EndpointAddress("10.0.0.1", 443), new EndpointAddress("10.0.0.2", 443));
  }

  @Conformance("DI-08")
  @Test
  void aServerThatFailsIsNamedWithItsCode() throws Exception {
    ask();

    assertThat(resolve("broken.example").status().message()).contains("broken.example", "SERVFAIL");
  }

  /** With the settings of the product. */
  private void ask() {
    control.execute(lookup::close);
    lookup = new NettyDnsLookup(control, server.address());
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
    server.close();

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
