package io.outrigger.xds.dns;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One question to one server. It goes over UDP, from a port of its own and with a random id; an
 * answer that is cut or cannot be read is asked for again over TCP. Queries carry no OPT record
 * (decision xds-0072).
 *
 * <p>The socket is connected: the kernel reports a port that is closed at once.
 */
@LoopConfined
final class Exchange {
  private static final int IDS = 1 << 16;

  private final EventLoop loop;
  private final InetSocketAddress server;
  private final DnsQuestion question;
  private final Duration timeout;
  private final Consumer<Reply> onReply;
  private final int id = (int) RandomSource.SYSTEM.nextLong(IDS, Purpose.QUERY_ID);
  private @Nullable Channel channel;
  private @Nullable ScheduledFuture<?> timer;
  private boolean done;

  /**
   * @param onReply called on {@code loop} once, after {@link #start} returned, unless {@link
   *     #close} comes first
   */
  Exchange(
      EventLoop loop,
      InetSocketAddress server,
      DnsQuestion question,
      Duration timeout,
      Consumer<Reply> onReply) {
    this.loop = loop;
    this.server = server;
    this.question = question;
    this.timeout = timeout;
    this.onReply = onReply;
  }

  /** Sends the question. */
  void start(boolean overTcp) {
    limit(timeout);
    if (overTcp) {
      askOverTcp();
      return;
    }
    connect(
        new Bootstrap().channel(NioDatagramChannel.class),
        () -> new DatagramDnsQuery(/* sender= */ null, server, id),
        new DatagramDnsQueryEncoder(),
        new DatagramDnsResponseDecoder(),
        new Answers(/* overTcp= */ false));
  }

  private void askOverTcp() {
    disconnect();
    connect(
        new Bootstrap()
            .channel(NioSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0), // the exchange has a timer
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
    channel = connecting.channel();
    connecting.addListener(
        (ChannelFutureListener)
            connected -> {
              if (connected.isSuccess()) {
                DnsQuery query = message.get();
                query.setRecursionDesired(true);
                query.addRecord(DnsSection.QUESTION, question);
                connected
                    .channel()
                    .writeAndFlush(query)
                    .addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
              } else if (connected.channel() == channel) {
                finish(unreachable());
              }
            });
  }

  /** The server has {@code rest} to answer, at most; sooner when that was said before. */
  void limit(Duration rest) {
    ScheduledFuture<?> before = timer;
    if (done || (before != null && before.getDelay(TimeUnit.NANOSECONDS) <= rest.toNanos())) {
      return;
    }
    cancelTimer();
    timer =
        loop.schedule(
            () -> finish(trouble("no answer from " + serverText())),
            rest.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  /** Ends the exchange; {@code onReply} is not called any more. */
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
    if (open != null) {
      open.close();
    }
  }

  private void finish(Reply reply) {
    if (!done) {
      close();
      onReply.accept(reply);
    }
  }

  private static Reply trouble(String reason) {
    return new Reply.Trouble(reason);
  }

  /** Its port is closed, there is no way to it, or no socket can be opened. */
  private Reply unreachable() {
    return trouble(serverText() + " cannot be reached");
  }

  private String serverText() {
    return NetUtil.toSocketAddressString(server);
  }

  /** The answers that arrive on one channel. */
  private final class Answers extends SimpleChannelInboundHandler<DnsResponse> {
    private final boolean overTcp;

    Answers(boolean overTcp) {
      this.overTcp = overTcp;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, DnsResponse response) {
      if (response.id() != id || !answersQuestion(response)) {
        return; // forged or of another query: the right answer may still come
      }
      if (response.isTruncated() && !overTcp) {
        askOverTcp();
      } else {
        finish(reply(response));
      }
    }

    /** A server that refuses a query may leave out its question. */
    private boolean answersQuestion(DnsResponse response) {
      if (response.count(DnsSection.QUESTION) == 0) {
        return !response.code().equals(DnsResponseCode.NOERROR);
      }
      DnsRecord asked = response.recordAt(DnsSection.QUESTION);
      return asked.type().equals(question.type()) && asked.name().equalsIgnoreCase(question.name());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (context.channel() != channel) {
        return; // given up for TCP
      }
      if (!(cause instanceof DecoderException)) {
        finish(unreachable());
      } else if (overTcp) {
        finish(trouble("the answer of " + serverText() + " cannot be read"));
      } else {
        askOverTcp();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (context.channel() == channel) {
        finish(trouble(serverText() + " closed the connection without an answer"));
      }
    }
  }

  private Reply reply(DnsResponse response) {
    DnsResponseCode code = response.code();
    if (code.equals(DnsResponseCode.NXDOMAIN)) {
      return new Reply.Missing("NXDOMAIN from " + serverText());
    }
    if (!code.equals(DnsResponseCode.NOERROR)) {
      return trouble(text(code) + " from " + serverText());
    }
    List<InetAddress> addresses = addresses(response);
    if (!addresses.isEmpty()) {
      return new Reply.Found(addresses);
    }
    boolean refersToOthers =
        response.count(DnsSection.ANSWER) == 0
            && !response.isAuthoritativeAnswer()
            && !response.isRecursionAvailable();
    return refersToOthers
        ? trouble(serverText() + " resolves no names of others")
        : new Reply.Missing("no address in the answer of " + serverText());
  }

  private static String text(DnsResponseCode code) {
    String text = code.toString(); // such as ServFail(2)
    return text.substring(0, text.indexOf('(')).toUpperCase(Locale.ROOT);
  }

  /** The server has followed the aliases (CNAME): each address in its answer counts. */
  private List<InetAddress> addresses(DnsResponse response) {
    List<InetAddress> addresses = new ArrayList<>();
    for (int i = 0; i < response.count(DnsSection.ANSWER); i++) {
      DnsRecord record = response.recordAt(DnsSection.ANSWER, i);
      if (record.type().equals(question.type())
          && record.dnsClass() == DnsRecord.CLASS_IN
          && record instanceof DnsRawRecord raw) {
        try {
          addresses.add(InetAddress.getByAddress(ByteBufUtil.getBytes(raw.content())));
        } catch (UnknownHostException e) { // neither 4 nor 16 bytes: no address
        }
      }
    }
    return addresses;
  }
}
