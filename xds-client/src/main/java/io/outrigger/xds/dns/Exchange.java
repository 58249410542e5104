package io.outrigger.xds.dns;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryEncoder;
import io.netty.handler.codec.dns.DatagramDnsResponseDecoder;
import io.netty.handler.codec.dns.DefaultDnsQuery;
import io.netty.handler.codec.dns.DnsQuery;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.handler.codec.dns.TcpDnsQueryEncoder;
import io.netty.handler.codec.dns.TcpDnsResponseDecoder;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.SocketErrors;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends one DNS question to one server and receives the answer. The query goes over UDP, from a
 * separate port and with a random id. When the answer is truncated or cannot be read, the query is
 * repeated over TCP. Queries contain no OPT record (decision xds-0072).
 *
 * <p>The UDP socket is connected, so that the kernel reports a closed port of the server.
 */
@LoopConfined
final class Exchange {
  private static final int IDS = 1 << 16;

  /** The maximum size of a datagram; a smaller buffer would truncate datagrams silently. */
  private static final int MAX_DATAGRAM = (1 << 16) - 1;

  private final EventLoop loop;
  private final InetSocketAddress server;
  private final DnsQuestion question;
  private final Duration timeout;
  private final ChannelFactory<DatagramChannel> sockets;
  private final Consumer<Reply> onReply;
  private final int id = (int) RandomSource.SYSTEM.nextLong(IDS, Purpose.QUERY_ID);
  private @Nullable Channel channel;
  private @Nullable ScheduledFuture<?> timer;
  private boolean done;

  /**
   * @param sockets creates the UDP socket
   * @param onReply called at most once, on the loop, after {@link #start} has returned; never
   *     called after {@link #close}
   */
  Exchange(
      EventLoop loop,
      InetSocketAddress server,
      DnsQuestion question,
      Duration timeout,
      ChannelFactory<DatagramChannel> sockets,
      Consumer<Reply> onReply) {
    this.loop = loop;
    this.server = server;
    this.question = question;
    this.timeout = timeout;
    this.sockets = sockets;
    this.onReply = onReply;
  }

  void start(boolean overTcp) {
    limitTimeout(timeout);
    if (overTcp) {
      queryOverTcp();
      return;
    }
    connect(
        new Bootstrap()
            .channelFactory(sockets)
            .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(MAX_DATAGRAM)),
        () -> new DatagramDnsQuery(/* sender= */ null, server, id),
        new DatagramDnsQueryEncoder(),
        new DatagramDnsResponseDecoder(),
        new Answers(/* overTcp= */ false));
  }

  private void queryOverTcp() {
    disconnect();
    connect(
        new Bootstrap()
            .channel(NioSocketChannel.class)
            // The timeout of the exchange includes the time to connect.
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0),
        () -> new DefaultDnsQuery(id),
        new TcpDnsQueryEncoder(),
        new TcpDnsResponseDecoder(),
        new Answers(/* overTcp= */ true));
  }

  private void connect(
      Bootstrap bootstrap, Supplier<DnsQuery> message, ChannelHandler... handlers) {
    var connecting =
        bootstrap
            .group(loop)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(handlers);
                  }
                })
            .connect(server);
    Channel opened = connecting.channel();
    channel = opened;
    connecting.addListener(
        connected -> {
          if (connected.isSuccess()) {
            DnsQuery query = message.get();
            query.setRecursionDesired(true);
            query.addRecord(DnsSection.QUESTION, question);
            opened
                .writeAndFlush(query)
                .addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
          } else { // without a socket, Netty calls this listener on another thread
            loop.execute(() -> onUnconnected(opened, connected.cause()));
          }
        });
  }

  private void onUnconnected(Channel failed, Throwable cause) {
    if (failed == channel) {
      finish(
          new Reply.Failed(serverText() + " cannot be reached: " + SocketErrors.describe(cause)));
    }
  }

  /** Reduces the remaining time for the answer to at most {@code max}. */
  void limitTimeout(Duration max) {
    ScheduledFuture<?> running = timer;
    if (done || (running != null && running.getDelay(TimeUnit.NANOSECONDS) <= max.toNanos())) {
      return;
    }
    cancelTimer();
    timer =
        loop.schedule(
            () -> finish(new Reply.Failed("no answer from " + serverText())),
            max.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  void close() {
    done = true;
    cancelTimer();
    disconnect();
  }

  private void cancelTimer() {
    ScheduledFuture<?> running = timer;
    if (running != null) {
      running.cancel(false);
    }
  }

  private void disconnect() {
    Channel open = channel;
    channel = null;
    if (open != null && open.isRegistered()) { // otherwise the socket was never opened
      open.close();
    }
  }

  private void finish(Reply reply) {
    if (!done) {
      close();
      onReply.accept(reply);
    }
  }

  private String serverText() {
    return NetUtil.toSocketAddressString(server);
  }

  private final class Answers extends SimpleChannelInboundHandler<DnsResponse> {
    private final boolean overTcp;

    Answers(boolean overTcp) {
      this.overTcp = overTcp;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, DnsResponse response) {
      if (response.id() != id || !answersQuestion(response)) {
        return; // forged or of another query; the right answer may follow
      }
      if (response.isTruncated() && !overTcp) {
        queryOverTcp();
      } else {
        finish(reply(response));
      }
    }

    /** Whether the response answers the question; a refusal may omit the question section. */
    private boolean answersQuestion(DnsResponse response) {
      if (response.count(DnsSection.QUESTION) == 0) {
        return !response.code().equals(DnsResponseCode.NOERROR);
      }
      DnsRecord repeated = response.recordAt(DnsSection.QUESTION);
      return repeated.type().equals(question.type())
          && repeated.name().equalsIgnoreCase(question.name());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (context.channel() != channel) {
        return; // the query was already repeated over TCP
      }
      if (!(cause instanceof DecoderException)) {
        finish(new Reply.Failed(serverText() + " cannot be reached"));
      } else if (overTcp) {
        finish(new Reply.Failed("the answer of " + serverText() + " cannot be read"));
      } else {
        queryOverTcp();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (context.channel() == channel) {
        finish(new Reply.Failed(serverText() + " closed the connection without an answer"));
      }
    }
  }

  private Reply reply(DnsResponse response) {
    DnsResponseCode code = response.code();
    if (code.equals(DnsResponseCode.NXDOMAIN)) {
      return new Reply.Missing("NXDOMAIN from " + serverText());
    }
    if (!code.equals(DnsResponseCode.NOERROR)) {
      return new Reply.Failed(text(code) + " from " + serverText());
    }
    List<InetAddress> addresses = addresses(response);
    if (!addresses.isEmpty()) {
      return new Reply.Found(addresses, ttl(response));
    }
    boolean isReferral =
        response.count(DnsSection.ANSWER) == 0
            && !response.isAuthoritativeAnswer()
            && !response.isRecursionAvailable();
    return isReferral
        ? new Reply.Failed(serverText() + " resolves no names of others")
        : new Reply.Missing("no address in the answer of " + serverText());
  }

  private static String text(DnsResponseCode code) {
    String text = code.toString(); // such as ServFail(2)
    return text.substring(0, text.indexOf('(')).toUpperCase(Locale.ROOT);
  }

  /** Returns the minimum TTL of all records in the answer, including aliases. */
  private static Duration ttl(DnsResponse response) {
    return IntStream.range(0, response.count(DnsSection.ANSWER))
        .mapToObj(i -> response.<DnsRecord>recordAt(DnsSection.ANSWER, i))
        .map(record -> Duration.ofSeconds(record.timeToLive()))
        .min(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  /** Accepts records of every name, because the server has followed the aliases (CNAME). */
  private List<InetAddress> addresses(DnsResponse response) {
    List<InetAddress> addresses = new ArrayList<>();
    for (int i = 0; i < response.count(DnsSection.ANSWER); i++) {
      DnsRecord record = response.recordAt(DnsSection.ANSWER, i);
      if (record.type().equals(question.type())
          && record.dnsClass() == DnsRecord.CLASS_IN
          && record instanceof DnsRawRecord raw) {
        try {
          addresses.add(InetAddress.getByAddress(ByteBufUtil.getBytes(raw.content())));
        } catch (UnknownHostException e) { // a record of neither 4 nor 16 bytes is skipped
        }
      }
    }
    return addresses;
  }

  sealed interface Reply {
    /**
     * The addresses of the queried name, at least one.
     *
     * @param ttl the minimum TTL of the records in the answer
     * @param isPartial whether the lookup of one address family (IPv4 or IPv6) has failed
     */
    record Found(List<InetAddress> addresses, Duration ttl, boolean isPartial) implements Reply {
      public Found {
        addresses = List.copyOf(addresses);
      }

      Found(List<InetAddress> addresses, Duration ttl) {
        this(addresses, ttl, false);
      }
    }

    record Missing(String reason) implements Reply {}

    /** The server gave no conclusive answer, so another server is queried. */
    record Failed(String reason) implements Reply {}
  }
}
