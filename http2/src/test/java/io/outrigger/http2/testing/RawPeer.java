package io.outrigger.http2.testing;

import static java.util.Objects.requireNonNull;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Apps and backends that send and receive single HTTP/2 frames, for tests of details that gRPC
 * libraries hide.
 */
public final class RawPeer implements AutoCloseable {
  private final EventLoops loops = TestLoops.start(1);

  /** A connection of an app to the sidecar. */
  public Connection connect(SocketAddress address, ConnectionSettings settings) throws Exception {
    var connection = new Connection(new LinkedBlockingQueue<>());
    new Bootstrap()
        .group(loops.group())
        .channel(loops.clientChannel(address))
        .handler(Http2Connection.client(settings, connection::attach))
        .connect(address);
    connection.ready.get(60, TimeUnit.SECONDS);
    return connection;
  }

  /** A connection of an app to the sidecar through a unix socket. */
  public Connection connect(Path socket) throws Exception {
    return connect(loops.unixAddress(socket), ConnectionSettings.DEFAULT);
  }

  public Connection connect(int port) throws Exception {
    return connect(TestLoops.loopback(port), ConnectionSettings.DEFAULT);
  }

  /** A backend; it returns its connections and streams in order. */
  public Server listen(ConnectionSettings settings) {
    return new Server(settings);
  }

  @Override
  public void close() {
    loops.stop(Duration.ofSeconds(5));
  }

  /** The peer's end of a connection. */
  public static final class Connection implements ConnectionHandler {
    final CompletableFuture<Void> ready = new CompletableFuture<>();
    public final CompletableFuture<String> closed = new CompletableFuture<>();
    private final BlockingQueue<Exchange> streams;
    private @Nullable Http2Connection connection;
    private @Nullable Channel channel;

    /**
     * @param streams receives the streams that the peer opens
     */
    Connection(BlockingQueue<Exchange> streams) {
      this.streams = streams;
    }

    private ConnectionHandler attach(Http2Connection made) {
      connection = made;
      return this;
    }

    Http2Connection socket() {
      return requireNonNull(connection);
    }

    public void run(Consumer<Http2Connection> task) {
      socket().eventLoop().execute(() -> task.accept(socket()));
    }

    /**
     * Sets the number of streams that the client of a backend's connection may have open, from now
     * on.
     */
    public void limitStreams(int max) {
      ByteBuf settings = Unpooled.buffer(15);
      settings.writeMedium(6).writeByte(4).writeByte(0).writeInt(0); // RFC 9113 section 6.5
      settings.writeShort(3).writeInt(max); // SETTINGS_MAX_CONCURRENT_STREAMS
      requireNonNull(channel).writeAndFlush(settings);
    }

    /** Opens a stream and sends {@code head}. */
    public Exchange request(HeaderList head, boolean endStream) {
      var exchange = new Exchange(this);
      run(
          c -> {
            Http2Stream stream = c.openStream(exchange);
            if (stream == null) {
              exchange.events.add("NO STREAM");
            } else {
              exchange.stream = stream;
              stream.sendHeaders(head, endStream);
            }
          });
      return exchange;
    }

    @Override
    public void onReady() {
      ready.complete(null);
    }

    @Override
    public StreamHandler onStream(Http2Stream stream) {
      var exchange = new Exchange(this);
      exchange.stream = stream;
      streams.add(exchange);
      return exchange;
    }

    @Override
    public void onGoAway(int lastStreamId, Http2Error error, String debug) {}

    @Override
    public void onCapacity() {}

    @Override
    public void onClosed(String reason) {
      closed.complete(reason);
      // No effect when the connection was ready before.
      ready.completeExceptionally(new IOException(reason));
    }
  }

  /** A stream that records its events, in the notation of {@code FakeStream}, and can send. */
  public static final class Exchange implements StreamHandler {
    public final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    public final Connection connection;
    private @Nullable Http2Stream stream;
    private volatile boolean reading = true;
    public final AtomicLong received = new AtomicLong();

    Exchange(Connection connection) {
      this.connection = connection;
    }

    /** Stops returning credit from now on. */
    public Exchange stopReading() {
      reading = false;
      return this;
    }

    public void run(Consumer<Http2Stream> task) {
      connection.run(c -> task.accept(requireNonNull(stream)));
    }

    public void send(HeaderList headers, boolean endStream) {
      run(s -> s.sendHeaders(headers, endStream));
    }

    public void send(ByteBuf data, boolean endStream) {
      run(s -> s.sendData(data, endStream));
    }

    /** Waits for the next event, which must occur soon. */
    public String next() throws InterruptedException {
      String event = events.poll(60, TimeUnit.SECONDS);
      return event == null ? "NOTHING" : event;
    }

    @Override
    public void onHeaders(HeaderList headers, boolean endStream) {
      events.add("H(" + headers + ")" + (endStream ? "!" : ""));
    }

    @Override
    public void onData(ByteBuf data, boolean endStream) {
      int bytes = data.readableBytes();
      received.addAndGet(bytes);
      String text = bytes > 100 ? bytes + " bytes" : data.toString(StandardCharsets.UTF_8);
      data.release();
      if (reading) {
        requireNonNull(stream).consumed(bytes);
      }
      events.add("D(" + text + ")" + (endStream ? "!" : ""));
    }

    @Override
    public void onDataSent(int bytes) {}

    @Override
    public void onReset(Http2Error error) {
      events.add("RST(" + error + ")");
    }

    @Override
    public void onConnectionLost(Refusal refused, String reason) {
      events.add("LOST(" + (refused != Refusal.NONE) + ")");
    }
  }

  /** The port of a backend. */
  public final class Server {
    public final BlockingQueue<Connection> connections = new LinkedBlockingQueue<>();
    public final BlockingQueue<Exchange> streams = new LinkedBlockingQueue<>();
    private final Channel channel;

    Server(ConnectionSettings settings) {
      channel =
          new ServerBootstrap()
              .group(loops.group(), loops.group())
              .channel(loops.serverChannel(TestLoops.loopback(0)))
              .childHandler(
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel child) {
                      var connection = new Connection(streams);
                      connection.channel = child;
                      child
                          .pipeline()
                          .addLast(Http2Connection.server(settings, connection::attach));
                      connections.add(connection);
                    }
                  })
              .bind(TestLoops.loopback(0))
              .awaitUninterruptibly()
              .channel();
    }

    /** Stops listening, so that further connections are refused. */
    public void refuseMore() {
      channel.close().awaitUninterruptibly();
    }

    public int port() {
      return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Waits for the next connection. */
    public Connection next() throws InterruptedException {
      return requireNonNull(connections.poll(60, TimeUnit.SECONDS), "no connection came");
    }

    /** Waits for the next stream of any connection. */
    public Exchange nextStream() throws InterruptedException {
      return requireNonNull(streams.poll(60, TimeUnit.SECONDS), "no stream came");
    }
  }
}
