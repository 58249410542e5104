package io.outrigger.http2.testing;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.KnownName;
import io.outrigger.http2.StreamHandler;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A plain HTTP/2 backend that responds to each request with a few bytes once the request has ended.
 * The backend has no limit for resets by its clients, because calls canceled by an app reach it as
 * resets.
 */
public final class AnsweringBackend implements AutoCloseable {
  public static final String ANSWER = "all is well";

  private static final ConnectionSettings PATIENT =
      ConnectionSettings.DEFAULT.withAbuse(
          new AbuseLimits(
              Duration.ofDays(1), Integer.MAX_VALUE, Integer.MAX_VALUE, 64, Integer.MAX_VALUE));

  private static final int MAX_TARGETS = 100;

  private static final HeaderList HEAD = Heads.headers(":status", "200");

  private final EventLoops loops = TestLoops.start(1);
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicLong seen = new AtomicLong();
  private final Set<String> targets = ConcurrentHashMap.newKeySet();
  private final Channel channel;

  public AnsweringBackend() {
    this(null);
  }

  /** Starts a backend with TLS. */
  public static AnsweringBackend over(SslContext tls) {
    return new AnsweringBackend(tls);
  }

  private AnsweringBackend(@Nullable SslContext tls) {
    channel =
        new ServerBootstrap()
            .group(loops.group(), loops.group())
            .channel(loops.serverChannel(TestLoops.loopback(0)))
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel child) {
                    if (tls != null) {
                      child.pipeline().addLast(tls.newHandler(child.alloc()));
                    }
                    child
                        .pipeline()
                        .addLast(Http2Connection.server(PATIENT, made -> new Answering()));
                  }
                })
            .bind(TestLoops.loopback(0))
            .awaitUninterruptibly()
            .channel();
  }

  public int port() {
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  /** The number of requests that have begun and not ended. */
  public int running() {
    return running.get();
  }

  /** The number of requests that have begun. */
  public long seen() {
    return seen.get();
  }

  /** The URIs of the requests, for example {@code https://orders/pay.Pay/Do}. */
  public Set<String> targets() {
    return targets;
  }

  @Override
  public void close() {
    loops.stop(Duration.ofSeconds(5));
  }

  @LoopConfined
  private final class Answering implements ConnectionHandler {
    @Override
    public void onReady() {}

    @Override
    public StreamHandler onStream(Http2Stream stream) {
      running.incrementAndGet();
      seen.incrementAndGet();
      return new Answer(stream);
    }

    @Override
    public void onGoAway(int lastStreamId, Http2Error error, String debug) {}

    @Override
    public void onCapacity() {}

    @Override
    public void onClosed(String reason) {}
  }

  @LoopConfined
  private final class Answer implements StreamHandler {
    private final Http2Stream stream;
    private boolean over;

    Answer(Http2Stream stream) {
      this.stream = stream;
    }

    @Override
    public void onHeaders(HeaderList headers, boolean endStream) {
      if (targets.size() < MAX_TARGETS) {
        targets.add(
            headers.get(KnownName.SCHEME)
                + "://"
                + headers.get(KnownName.AUTHORITY)
                + headers.get(KnownName.PATH));
      }
      answerIf(endStream);
    }

    @Override
    public void onData(ByteBuf data, boolean endStream) {
      int bytes = data.readableBytes();
      data.release();
      stream.consumed(bytes);
      answerIf(endStream);
    }

    private void answerIf(boolean ended) {
      if (ended) {
        stream.sendHeaders(HEAD, false);
        stream.sendData(Unpooled.copiedBuffer(ANSWER, StandardCharsets.US_ASCII), true);
        end();
      }
    }

    private void end() {
      if (!over) {
        over = true;
        running.decrementAndGet();
      }
    }

    @Override
    public void onDataSent(int bytes) {}

    @Override
    public void onReset(Http2Error error) {
      end();
    }

    @Override
    public void onConnectionLost(Refusal refused, String reason) {
      end();
    }
  }
}
