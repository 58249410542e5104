package io.outrigger.xds.testing;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc.AggregatedDiscoveryServiceImplBase;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.outrigger.xds.ResourceType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
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
  private static final long PATIENCE_SECONDS = 10;

  private final BlockingQueue<Stream> opened = new LinkedBlockingQueue<>();
  private final Set<Channel> connections = ConcurrentHashMap.newKeySet();
  private final MultiThreadIoEventLoopGroup boss = group();
  private final MultiThreadIoEventLoopGroup workers = group();
  private final Server server;

  private ScriptedAdsServer(int port) throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .bossEventLoopGroup(boss)
            .workerEventLoopGroup(workers)
            .channelFactory(() -> new RecordingServerChannel(connections))
            .withOption(ChannelOption.SO_REUSEADDR, true)
            .addService(new Service())
            .build()
            .start();
  }

  /** Starts on a free port. */
  public static ScriptedAdsServer start() {
    return startOn(0);
  }

  /** Starts on {@code port}, such as that of one which was closed before. */
  public static ScriptedAdsServer startOn(int port) {
    try {
      return new ScriptedAdsServer(port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getPort();
  }

  /** The target for a bootstrap: {@code 127.0.0.1:port}. */
  public String target() {
    return InetAddress.getLoopbackAddress().getHostAddress() + ":" + port();
  }

  /** The next stream that a client opened and that was not returned before. */
  public Stream awaitStream() {
    return poll(opened, "no stream was opened");
  }

  /** Resets every connection, as a crash of the machine in between would. */
  public void dropConnections() {
    for (Channel connection : connections) {
      connection.config().setOption(ChannelOption.SO_LINGER, 0);
      connection.close().awaitUninterruptibly();
    }
    connections.clear();
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

  private static MultiThreadIoEventLoopGroup group() {
    return new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
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
    private final Set<Channel> accepted;

    RecordingServerChannel(Set<Channel> accepted) {
      this.accepted = accepted;
    }

    @Override
    protected int doReadMessages(List<Object> messages) throws Exception {
      int before = messages.size();
      int read = super.doReadMessages(messages);
      for (Object message : messages.subList(before, messages.size())) {
        Channel connection = (Channel) message;
        accepted.add(connection);
        connection.closeFuture().addListener(closed -> accepted.remove(connection));
      }
      return read;
    }
  }
}
