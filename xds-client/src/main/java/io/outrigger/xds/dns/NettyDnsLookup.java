package io.outrigger.xds.dns;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.xds.deps.DnsLookup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * DNS by Netty's resolver, on an event loop of its own: the name servers of {@code resolv.conf},
 * after {@code /etc/hosts}. IP literals are answered without asking anybody.
 *
 * <p>Nothing is cached: {@code DnsClusters} sets the pace. Answers hop to the control loop. The
 * resolver and its loop are made for the first name: a mesh of EDS clusters never asks for one.
 */
@ControlConfined
public final class NettyDnsLookup implements DnsLookup, AutoCloseable {
  private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(5); // each server, each try

  /** A resolver in operation, and how to stop what it runs on. */
  record Resolver(DnsNameResolver dns, Runnable stop) {}

  private final ControlLoop loop;
  private final Supplier<Resolver> start;
  private @Nullable Resolver resolver;

  /** A look-up that will have an event loop of its own; {@link #close} stops it. */
  public NettyDnsLookup(ControlLoop loop) {
    this(loop, () -> start(UnaryOperator.identity()));
  }

  /** One that asks {@code nameServer}, not those of the system. */
  public NettyDnsLookup(ControlLoop loop, InetSocketAddress nameServer) {
    this(
        loop,
        () ->
            start(
                builder ->
                    builder
                        .nameServerProvider(new SingletonDnsServerAddressStreamProvider(nameServer))
                        .searchDomains(List.of())));
  }

  NettyDnsLookup(ControlLoop loop, Supplier<Resolver> start) {
    this.loop = loop;
    this.start = start;
  }

  private static Resolver start(UnaryOperator<DnsNameResolverBuilder> settings) {
    var group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("dns", true), NioIoHandler.newFactory());
    return new Resolver(
        settings.apply(resolver(group.next())).build(),
        () -> group.shutdownGracefully(0, 1, TimeUnit.SECONDS));
  }

  private static DnsNameResolverBuilder resolver(EventLoop eventLoop) {
    return new DnsNameResolverBuilder(eventLoop)
        .datagramChannelType(NioDatagramChannel.class)
        .socketChannelType(NioSocketChannel.class, true)
        .resolvedAddressTypes(ResolvedAddressTypes.IPV4_PREFERRED)
        .completeOncePreferredResolved(false) // both families are one endpoint's addresses
        .resolveCache(NoopDnsCache.INSTANCE)
        .queryTimeoutMillis(QUERY_TIMEOUT.toMillis());
  }

  @Override
  public Query resolve(String host, int port, Consumer<Outcome<List<EndpointAddress>>> callback) {
    loop.checkInside();
    var cancelled = new AtomicBoolean();
    Optional<String> literal = literal(host);
    if (literal.isPresent()) {
      List<EndpointAddress> itself = List.of(new EndpointAddress(literal.get(), port));
      answer(Outcome.ok(itself), cancelled, callback);
      return () -> cancelled.set(true);
    }
    Future<List<InetAddress>> lookup = running().resolveAll(host);
    lookup.addListener(
        (Future<List<InetAddress>> done) -> answer(outcome(done, port), cancelled, callback));
    return () -> {
      cancelled.set(true);
      lookup.cancel(false);
    };
  }

  /** Ends running lookups; their callbacks may still hear of a failure. */
  @Override
  public void close() {
    loop.checkInside();
    Resolver running = resolver;
    if (running != null) {
      running.dns().close();
      running.stop().run();
    }
  }

  private DnsNameResolver running() {
    Resolver running = resolver;
    if (running == null) {
      running = start.get();
      resolver = running;
    }
    return running.dns();
  }

  private void answer(
      Outcome<List<EndpointAddress>> answer,
      AtomicBoolean cancelled,
      Consumer<Outcome<List<EndpointAddress>>> callback) {
    loop.execute(
        () -> {
          if (!cancelled.get()) {
            callback.accept(answer);
          }
        });
  }

  private static Outcome<List<EndpointAddress>> outcome(Future<List<InetAddress>> done, int port) {
    if (!done.isSuccess()) {
      return Outcome.failed(RpcStatus.unavailable(reason(done.cause())));
    }
    List<EndpointAddress> addresses =
        done.getNow().stream()
            .map(address -> new EndpointAddress(NetUtil.toAddressString(address), port))
            .distinct()
            .toList();
    return addresses.isEmpty()
        ? Outcome.failed(RpcStatus.unavailable("the answer holds no address"))
        : Outcome.ok(addresses);
  }

  /** The whole chain: the outermost says which name, an inner one says what happened. */
  private static String reason(Throwable failure) {
    var text = new StringBuilder(words(failure));
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      if (text.indexOf(words(cause)) < 0) {
        text.append(": ").append(words(cause));
      }
    }
    return text.toString();
  }

  private static String words(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  /** The canonical form of an IP literal (RFC 5952), brackets allowed; empty for a name. */
  private static Optional<String> literal(String host) {
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(host);
    return bytes == null ? Optional.empty() : Optional.of(NetUtil.bytesToIpAddress(bytes));
  }
}
