package io.outrigger.xds.testing;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc.AggregatedDiscoveryServiceImplBase;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.outrigger.xds.ResourceType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * A control plane over real gRPC on a loopback port of its own, which does exactly what the test
 * says: any response, or none, and any break. It records requests. Waiting is bounded and fails the
 * test when nothing comes.
 */
public final class ScriptedAdsServer implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final BlockingQueue<Stream> opened = new LinkedBlockingQueue<>();
  private final List<Channel> accepted = new CopyOnWriteArrayList<>();
  private final MultiThreadIoEventLoopGroup boss;
  private final MultiThreadIoEventLoopGroup workers;
  private final Server server;
  private final int port;
  private final String target;

  private ScriptedAdsServer(SocketAddress address, ServerCredentials credentials) {
    boolean tcp = address instanceof InetSocketAddress;
    IoHandlerFactory io = tcp ? NioIoHandler.newFactory() : EpollIoHandler.newFactory();
    boss = new MultiThreadIoEventLoopGroup(1, io);
    workers = new MultiThreadIoEventLoopGroup(1, io);
    var builder =
        NettyServerBuilder.forAddress(address, credentials)
            .bossEventLoopGroup(boss)
            .workerEventLoopGroup(workers)
            .addService(new Service());
    if (tcp) {
      builder.channelFactory(() -> new RecordingServerChannel(accepted));
      builder.withOption(ChannelOption.SO_REUSEADDR, true);
    } else {
      builder.channelType(EpollServerDomainSocketChannel.class);
    }
    try {
      server = builder.build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    port = server.getPort();
    target =
        tcp
            ? InetAddress.getLoopbackAddress().getHostAddress() + ":" + port
            : "unix://" + ((DomainSocketAddress) address).path();
  }

  /** Starts on a free port. */
  public static ScriptedAdsServer start() {
    return startOn(0);
  }

  /** Starts on {@code port}, such as that of one which was closed before. */
  public static ScriptedAdsServer startOn(int port) {
    return new ScriptedAdsServer(loopback(port), InsecureServerCredentials.create());
  }

  /** Starts on a free port with TLS. */
  public static ScriptedAdsServer startSecure(ServerCredentials credentials) {
    return new ScriptedAdsServer(loopback(0), credentials);
  }

  /** Starts on a unix domain socket; on Linux only. */
  public static ScriptedAdsServer startOnSocket(Path socket) {
    return new ScriptedAdsServer(
        new DomainSocketAddress(socket.toAbsolutePath().toString()),
        InsecureServerCredentials.create());
  }

  /** Also after it was closed; meaningless on a unix socket. */
  public int port() {
    return port;
  }

  /** The target for a bootstrap, such as {@code 127.0.0.1:port} or {@code unix:///path}. */
  public String target() {
    return target;
  }

  /** The next stream that a client opened and that was not returned before. */
  public Stream awaitStream() {
    return poll(opened, "no stream was opened");
  }

  /** Waits until the clients have ended the connections that there were so far; at least one. */
  public void awaitDisconnect() {
    if (accepted.isEmpty()) {
      throw new AssertionError("no connection");
    }
    for (Channel connection : accepted) {
      if (!connection.closeFuture().awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the connection stays: " + connection);
      }
    }
  }

  /** How many TCP connections have come. */
  public int connections() {
    return accepted.size();
  }

  /** Reads nothing more from any connection: they stay open, as on a path that swallows bytes. */
  public void muteConnections() {
    accepted.forEach(connection -> connection.config().setAutoRead(false));
  }

  /** Resets every TCP connection, as a crash of the machine in between would. */
  public void dropConnections() {
    for (Channel connection : List.copyOf(accepted)) { // those that come meanwhile stay
      if (!connection.isActive()) {
        continue;
      }
      connection.config().setOption(ChannelOption.SO_LINGER, 0);
      // Not close(): the handlers would say goodbye first.
      connection
          .eventLoop()
          .execute(() -> connection.unsafe().close(connection.unsafe().voidPromise()));
      if (!connection.closeFuture().awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the connection did not close: " + connection);
      }
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    boss.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    workers.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static <T> T poll(BlockingQueue<T> queue, String otherwise) {
    try {
      T polled = queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (polled == null) {
        throw new AssertionError(otherwise + " within " + PATIENCE_SECONDS + " s");
      }
      return polled;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** One stream from the server's side. */
  public static final class Stream {
    private final StreamObserver<DiscoveryResponse> responses;
    private final BlockingQueue<DiscoveryRequest> requests = new LinkedBlockingQueue<>();
    private final BlockingQueue<Status> ended = new LinkedBlockingQueue<>();
    private final AtomicInteger nonces = new AtomicInteger();

    Stream(StreamObserver<DiscoveryResponse> responses) {
      this.responses = responses;
    }

    /** The next request, whatever it is. */
    public DiscoveryRequest awaitRequest() {
      return poll(requests, "no request came");
    }

    /** The next request of that type; requests of other types before it are passed over. */
    public DiscoveryRequest awaitRequest(ResourceType<?> type) {
      return awaitRequest(request -> request.getTypeUrl().equals(type.typeUrl()));
    }

    /** The next request that fits; others before it are passed over. */
    public DiscoveryRequest awaitRequest(Predicate<DiscoveryRequest> wanted) {
      while (true) {
        DiscoveryRequest request = awaitRequest();
        if (wanted.test(request)) {
          return request;
        }
      }
    }

    /** The requests that came and were not awaited. */
    public List<DiscoveryRequest> pending() {
      return List.copyOf(requests);
    }

    /** A response with the next nonce: {@code n1}, {@code n2} and so on. */
    public Stream respond(ResourceType<?> type, String version, Any... resources) {
      return respond(
          DiscoveryResponse.newBuilder()
              .setTypeUrl(type.typeUrl())
              .setVersionInfo(version)
              .setNonce("n" + nonces.incrementAndGet())
              .addAllResources(Arrays.asList(resources))
              .build());
    }

    /** Any response, as it is. */
    public Stream respond(DiscoveryResponse response) {
      responses.onNext(response);
      return this;
    }

    /** Ends the stream. */
    public void closeWith(Status status) {
      if (status.isOk()) {
        responses.onCompleted();
      } else {
        responses.onError(status.asRuntimeException());
      }
    }

    /** Waits until the client ended the stream, or the connection broke. */
    public Status awaitEnd() {
      return poll(ended, "the stream did not end");
    }
  }

  private final class Service extends AggregatedDiscoveryServiceImplBase {
    @Override
    public StreamObserver<DiscoveryRequest> streamAggregatedResources(
        StreamObserver<DiscoveryResponse> responses) {
      var stream = new Stream(responses);
      // Without a handler, a response to a client that has gone would throw.
      ((ServerCallStreamObserver<DiscoveryResponse>) responses)
          .setOnCancelHandler(() -> stream.ended.add(Status.CANCELLED));
      opened.add(stream);
      return new StreamObserver<>() {
        @Override
        public void onNext(DiscoveryRequest request) {
          stream.requests.add(request);
        }

        @Override
        public void onError(Throwable error) {
          stream.ended.add(Status.fromThrowable(error));
        }

        @Override
        public void onCompleted() {
          stream.ended.add(Status.OK);
        }
      };
    }
  }

  /** Remembers the connections that it accepts. */
  private static final class RecordingServerChannel extends NioServerSocketChannel {
    private final List<Channel> accepted;

    RecordingServerChannel(List<Channel> accepted) {
      this.accepted = accepted;
    }

    @Override
    protected int doReadMessages(List<Object> messages) throws Exception {
      int before = messages.size();
      int read = super.doReadMessages(messages);
      for (Object message : messages.subList(before, messages.size())) {
        accepted.add((Channel) message);
      }
      return read;
    }
  }
}
