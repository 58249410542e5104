package io.outrigger.dataplane.downstream;

import static java.util.Objects.requireNonNull;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.forward.Caller;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.PeerErrors;
import io.outrigger.http2.SocketView;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One port: accepts connections on the event loops in turn and passes their streams to a {@link
 * Forward}.
 *
 * <pre>
 * bind -> OPEN -> DRAINING -> CLOSED
 * </pre>
 *
 * <p>A drain stops accepting connections and sends GOAWAY on every connection. The drain ends when
 * the last connection has closed (SC-44).
 */
@AnyThread
public final class Http2Listener {
  private static final Logger log = LoggerFactory.getLogger(Http2Listener.class);

  private final EventLoops loops;
  private final List<CallLoop> callLoops;
  private final Forward forward;
  private final Admission admission;
  private final ListenerSettings settings;
  private final List<AcceptedConnections> connections;
  private final AtomicInteger open = new AtomicInteger();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private final CompletableFuture<Void> portClosed = new CompletableFuture<>();
  private volatile @Nullable Channel server;

  private Http2Listener(
      EventLoops loops,
      List<CallLoop> callLoops,
      Forward forward,
      Admission admission,
      ListenerSettings settings) {
    this.loops = loops;
    this.callLoops = List.copyOf(callLoops);
    this.forward = forward;
    this.admission = admission;
    this.settings = settings;
    connections = Stream.generate(AcceptedConnections::new).limit(loops.count()).toList();
  }

  /**
   * Opens a port. Blocks until the port is bound; must not be called on an event loop.
   *
   * @param address an {@link InetSocketAddress} (port 0 selects a free port) or a {@link
   *     UnixDomainSocketAddress}
   * @param callLoops the {@link CallLoop} of each event loop, in the order of the event loops
   * @throws IOException whose message has the address and the reason
   */
  public static Http2Listener bind(
      SocketAddress address,
      EventLoops loops,
      List<CallLoop> callLoops,
      Forward forward,
      ListenerSettings settings)
      throws IOException {
    Admission inPlainText =
        (channel, http2) -> channel.pipeline().addLast(http2.apply(forward.app()));
    var listener = new Http2Listener(loops, callLoops, forward, inPlainText, settings);
    try {
      if (address instanceof UnixDomainSocketAddress unix) { // Netty removes the file in the end
        new UnixSocketFile(unix.getPath()).removeStale();
      }
      listener.bindTo(address).syncUninterruptibly(); // throws if the port cannot be bound
      return listener;
    } catch (IOException | RuntimeException e) {
      throw notOpened(address, e);
    }
  }

  /**
   * Opens a TCP port without blocking.
   *
   * @param admission decides which connections are served
   * @return a stage that fails with an {@link IOException} whose message has the address and the
   *     reason
   */
  public static CompletionStage<Http2Listener> open(
      InetSocketAddress address,
      EventLoops loops,
      List<CallLoop> callLoops,
      Forward forward,
      Admission admission,
      ListenerSettings settings) {
    var listener = new Http2Listener(loops, callLoops, forward, admission, settings);
    var opened = new CompletableFuture<Http2Listener>();
    listener
        .bindTo(address)
        .addListener(
            bound -> {
              if (bound.isSuccess()) {
                opened.complete(listener);
              } else {
                opened.completeExceptionally(notOpened(address, bound.cause()));
              }
            });
    return opened;
  }

  private ChannelFuture bindTo(SocketAddress address) {
    boolean isUnix = address instanceof UnixDomainSocketAddress;
    SocketAddress local =
        address instanceof UnixDomainSocketAddress u ? loops.unixAddress(u.getPath()) : address;
    var bootstrap =
        new ServerBootstrap()
            .group(loops.group(), loops.group())
            .channel(loops.serverChannel(local))
            .childOption(ChannelOption.ALLOCATOR, loops.allocator())
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    onAccepted(channel);
                  }
                });
    if (!isUnix) {
      bootstrap
          .option(ChannelOption.SO_REUSEADDR, true)
          .childOption(ChannelOption.TCP_NODELAY, true);
    }
    ChannelFuture binding = bootstrap.bind(local);
    server = binding.channel();
    return binding;
  }

  /** Admits an accepted connection or refuses it; called on the connection's event loop. */
  private void onAccepted(Channel channel) {
    if (open.incrementAndGet() > settings.maxConnections()
        || !OpenFiles.haveRoomFor(channel)
        || settings.http2().memory().isUsedUp()) {
      open.decrementAndGet();
      forward.onConnectionRefused(loops.index(channel.eventLoop()));
      log.debug("forward {}: connection refused, {} are open", forward.name(), open.get());
      channel.close();
      return;
    }
    channel.closeFuture().addListener(closed -> onConnectionClosed());
    int index = loops.index(channel.eventLoop());
    admission.admit(
        channel,
        caller ->
            Http2Connection.server(
                settings.http2(), connection -> handlerOf(connection, index, caller)));
    if (connections.get(index).isDraining()) {
      channel.close(); // the kernel accepted the connection before the port was closed
    }
  }

  private ConnectionHandler handlerOf(Http2Connection http2, int index, Caller caller) {
    AcceptedConnections siblings = connections.get(index);
    var connection =
        new DownstreamConnection(
            loops.nextSocketId(),
            siblings,
            http2,
            forward,
            caller,
            callLoops.get(index),
            loops.peerErrors());
    connection.retire(admission.retirement(caller)); // the handshake may have outlasted a change
    if (siblings.isDraining()) { // the drain began during the TLS handshake
      http2.eventLoop().execute(connection::drain);
    }
    return connection;
  }

  private void onConnectionClosed() {
    open.decrementAndGet();
    checkDrained();
  }

  public int port() {
    Channel bound = server;
    return bound != null && bound.localAddress() instanceof InetSocketAddress tcp
        ? tcp.getPort()
        : 0;
  }

  public Forward forward() {
    return forward;
  }

  public int connections() {
    return open.get();
  }

  /**
   * Returns views of the open connections of several listeners, ordered by id.
   *
   * @param from the lowest id of a returned connection
   */
  public static CompletionStage<List<SocketView>> sockets(
      List<Http2Listener> listeners, long from, int max) {
    CompletionStage<List<SocketView>> all = CompletableFuture.completedStage(List.of());
    for (Http2Listener listener : listeners) {
      var views = listener.loops.callOnEach(i -> listener.connections.get(i).views(from, max));
      all =
          all.thenCombine(
              views,
              (others, each) ->
                  Stream.concat(others.stream(), each.stream().flatMap(List::stream))
                      .sorted(Comparator.comparingLong(SocketView::id))
                      .limit(max)
                      .toList());
    }
    return all;
  }

  /** Completed when {@link #drain} or {@link #close} has closed the port. */
  public CompletionStage<Void> portClosed() {
    return portClosed;
  }

  /** Schedules the end of each connection for which {@link Admission#retirement} is not null. */
  public void retire() {
    for (int i = 0; i < connections.size(); i++) {
      AcceptedConnections ofLoop = connections.get(i);
      EventLoop loop = loops.loop(i);
      loop.execute(() -> ofLoop.retire(0, admission, loop));
    }
  }

  /**
   * Stops accepting connections and lets every connection finish its streams.
   *
   * @return a stage that completes on an event loop when all connections are closed
   */
  public CompletableFuture<Void> drain() {
    return closePort(AcceptedConnections::drain);
  }

  /** Closes the port and all connections immediately; returns the future of {@link #drain}. */
  public CompletableFuture<Void> close() {
    return closePort(AcceptedConnections::close);
  }

  /** Closes the port, then runs a task with the connections of each event loop. */
  private CompletableFuture<Void> closePort(Consumer<AcceptedConnections> end) {
    requireNonNull(server)
        .close() // a second call returns the same result
        .addListener(
            closed -> {
              for (int i = 0; i < connections.size(); i++) {
                AcceptedConnections ofLoop = connections.get(i);
                loops.loop(i).execute(() -> end.accept(ofLoop));
              }
              portClosed.complete(null);
              checkDrained();
            });
    return drained;
  }

  private void checkDrained() {
    if (portClosed.isDone() && open.get() == 0) {
      drained.complete(null);
    }
  }

  private static IOException notOpened(SocketAddress address, Throwable cause) {
    String where =
        address instanceof UnixDomainSocketAddress unix
            ? new ListenAddress.Unix(unix.getPath().toString()).toString()
            : PeerErrors.text(address);
    return new IOException("cannot listen on " + where + ": " + reason(cause), cause);
  }

  private static String reason(Throwable e) {
    String text = e.getMessage() == null ? e.toString() : e.getMessage();
    if (text.toLowerCase(Locale.ROOT).contains("address already in use")) {
      return "address already in use";
    }
    int prefix = text.indexOf("): "); // "bind(..) failed with error(-2): No such file or directory"
    return text.startsWith("bind(") && prefix > 0 ? text.substring(prefix + 3) : text;
  }
}
