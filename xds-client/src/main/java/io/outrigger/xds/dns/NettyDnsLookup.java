package io.outrigger.xds.dns;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.resolver.HostsFileEntriesProvider;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.xds.deps.DnsLookup;
import io.outrigger.xds.dns.Exchange.Reply;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks up names as the C library does: in {@code /etc/hosts} first, then with the name servers of
 * {@code resolv.conf}. Each lookup reads {@code /etc/hosts} and {@code resolv.conf} again. Answers
 * are not cached; {@code DnsName} limits the rate of lookups.
 *
 * <p>A thread, which the first lookup of a name starts, reads the files and queries the servers.
 * Answers are delivered on the control loop.
 */
@ControlConfined
public final class NettyDnsLookup implements DnsLookup, AutoCloseable {
  private final ControlLoop control;
  private final Supplier<ResolvConf> settings;
  private @Nullable MultiThreadIoEventLoopGroup thread;
  private Optional<ResolvConf> lastSettings = Optional.empty(); // confined to the DNS thread
  private int rotation; // confined to the DNS thread

  public NettyDnsLookup(ControlLoop control) {
    this(control, ResolvConf::ofSystem);
  }

  /**
   * Creates a lookup that queries one given server instead of the machine's name servers, with two
   * attempts.
   *
   * @param timeout the timeout of one query
   */
  public NettyDnsLookup(ControlLoop control, InetSocketAddress server, Duration timeout) {
    this(control, () -> new ResolvConf(List.of(server), List.of(), 1, timeout, 2, Set.of()));
  }

  NettyDnsLookup(ControlLoop control, Supplier<ResolvConf> settings) {
    this.control = control;
    this.settings = settings;
  }

  @Override
  public Runnable resolve(String host, int port, Consumer<Outcome<Answer>> callback) {
    control.checkInside();
    var cancelled = new AtomicBoolean();
    Consumer<Outcome<Reply.Found>> answer =
        outcome ->
            control.execute(
                () -> {
                  if (!cancelled.get()) {
                    callback.accept(answer(outcome, port));
                  }
                });
    InetAddress literal = NetUtil.createInetAddressFromIpAddressString(host);
    if (literal != null) {
      answer.accept(Outcome.ok(new Reply.Found(List.of(literal), Duration.ZERO)));
      return () -> cancelled.set(true);
    }
    EventLoop loop;
    try {
      loop = thread();
    } catch (IllegalStateException none) { // there is no file descriptor for the thread's selector
      answer.accept(Outcome.failed(RpcStatus.unavailable(String.valueOf(none.getMessage()))));
      return () -> cancelled.set(true);
    }
    var running = new AtomicReference<@Nullable NameQuery>();
    loop.execute(() -> query(loop, host, answer).ifPresent(running::set));
    return () -> {
      cancelled.set(true);
      if (!loop.isShuttingDown()) {
        loop.execute(() -> Optional.ofNullable(running.get()).ifPresent(NameQuery::close));
      }
    };
  }

  private static Outcome<Answer> answer(Outcome<Reply.Found> reply, int port) {
    return reply.match(
        found ->
            Outcome.ok(
                new Answer(
                    found.addresses().stream()
                        .map(ip -> new EndpointAddress(NetUtil.toAddressString(ip), port))
                        .distinct()
                        .toList(),
                    found.ttl(),
                    found.isPartial())),
        Outcome::failed);
  }

  @Override
  public void close() {
    control.checkInside();
    MultiThreadIoEventLoopGroup running = thread;
    if (running != null) {
      running.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private EventLoop thread() {
    MultiThreadIoEventLoopGroup running = thread;
    if (running == null) {
      running =
          new MultiThreadIoEventLoopGroup(
              1, new DefaultThreadFactory("dns", true), NioIoHandler.newFactory());
      thread = running;
    }
    return running.next();
  }

  /** Looks up a name; returns the running query, or empty if the callback was already called. */
  private Optional<NameQuery> query(
      EventLoop loop, String host, Consumer<Outcome<Reply.Found>> callback) {
    List<InetAddress> local = hostsFile(host);
    if (!local.isEmpty()) {
      callback.accept(Outcome.ok(new Reply.Found(local, Duration.ZERO)));
      return Optional.empty();
    }
    ResolvConf conf = settings();
    List<String> candidates = conf.candidates(host);
    if (candidates.isEmpty()) {
      callback.accept(Outcome.failed(RpcStatus.unavailable("this is no host name")));
      return Optional.empty();
    }
    var query = new NameQuery(loop, conf, servers(conf), candidates, callback);
    query.start();
    return Optional.of(query);
  }

  private static List<InetAddress> hostsFile(String host) {
    HostsFileEntriesProvider file = HostsFileEntriesProvider.parser().parseSilently();
    String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    String key = name.toLowerCase(Locale.ROOT);
    return Stream.of(file.ipv4Entries(), file.ipv6Entries())
        .flatMap(family -> family.getOrDefault(key, List.of()).stream())
        .toList();
  }

  private ResolvConf settings() {
    if (lastSettings.isEmpty() || !lastSettings.get().has("no-reload")) {
      lastSettings = Optional.of(settings.get());
    }
    return lastSettings.get();
  }

  private List<InetSocketAddress> servers(ResolvConf conf) {
    List<InetSocketAddress> servers = new ArrayList<>(conf.servers());
    if (conf.has("rotate")) {
      Collections.rotate(servers, -(rotation++ % servers.size()));
    }
    return servers;
  }
}
