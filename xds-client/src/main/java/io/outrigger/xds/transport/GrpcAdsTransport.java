package io.outrigger.xds.transport;

import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.load_stats.v3.LoadReportingServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelRegistry.ProviderNotFoundException;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.report.LrsTransport;
import io.outrigger.xds.stream.AdsTransport;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * ADS over a gRPC channel to a control plane (A57). All streams to the server, including streams of
 * load reports (A27), share the channel. The streams are not wait-for-ready, so a stream fails with
 * the reason when the server cannot be reached.
 *
 * <p>gRPC's back-off between connections would add to our back-off between streams, and would fail
 * streams with an outdated reason. The channel is closed when a stream ends without having reached
 * a connection. The next stream makes a new channel.
 */
@ControlConfined
public final class GrpcAdsTransport implements AdsTransport {
  private static final int MAX_RESPONSE_BYTES = maxResponseBytes(Runtime.getRuntime().maxMemory());

  /**
   * The times for detecting a dead connection.
   *
   * @param time the time without data from the server after which gRPC sends a PING; at least 10 s
   * @param timeout the time without an answer to the PING after which gRPC closes the connection
   * @param connect the maximum time that a stream waits for a connection. For the SETTINGS of a
   *     server, grpc-java itself waits without a limit; other implementations of gRPC wait for 20 s
   */
  record KeepAlive(Duration time, Duration timeout, Duration connect) {
    static final KeepAlive DEFAULT = // A57-38
        new KeepAlive(Duration.ofMinutes(5), Duration.ofSeconds(20), Duration.ofSeconds(20));
  }

  private final ControlLoop loop;
  private final XdsServer server;
  private final KeepAlive keepAlive;
  private final ServerCredentials credentials;
  private ManagedChannel channel;
  private final CallOptions calls;
  private int openStreams;
  private int attachedStreams;
  private boolean hasTimedOut; // a stream has waited too long for the present connection
  private boolean closed;

  /**
   * May be called on any thread. {@link #connect} or the first stream connects the channel.
   *
   * @throws IllegalArgumentException if the target of the server, or a file of its credentials,
   *     cannot be used; the message names the server
   */
  public GrpcAdsTransport(ControlLoop loop, XdsServer server) {
    this(loop, server, KeepAlive.DEFAULT, System.getenv());
  }

  GrpcAdsTransport(
      ControlLoop loop, XdsServer server, KeepAlive keepAlive, Map<String, String> environment) {
    this.loop = loop;
    this.server = server;
    this.keepAlive = keepAlive;
    credentials = ServerCredentials.of(loop, server, environment);
    channel = channel(server, credentials.channel(), keepAlive);
    calls = CallOptions.DEFAULT.withCallCredentials(credentials.calls().orElse(null));
    loop.execute(credentials::start);
  }

  /**
   * Checks the configuration of a server: makes a channel, and closes it before it connects. Blocks
   * while files are read.
   *
   * @throws IllegalArgumentException under the same conditions as the constructor
   */
  static void requireUsable(XdsServer server, Map<String, String> environment) {
    var unused =
        channel(server, ServerCredentials.channel(server, environment), KeepAlive.DEFAULT)
            .shutdownNow();
  }

  private static ManagedChannel channel(
      XdsServer server, ChannelCredentials credentials, KeepAlive keepAlive) {
    try {
      return Grpc.newChannelBuilder(server.uri(), credentials)
          .keepAliveTime(keepAlive.time().toNanos(), TimeUnit.NANOSECONDS)
          .keepAliveTimeout(keepAlive.timeout().toNanos(), TimeUnit.NANOSECONDS)
          .maxInboundMessageSize(MAX_RESPONSE_BYTES)
          .build();
    } catch (IllegalArgumentException | ProviderNotFoundException unusable) {
      throw new IllegalArgumentException(
          "xds server %s: %s".formatted(server.uri(), unusable.getMessage()), unusable);
    }
  }

  static int maxResponseBytes(long heapBytes) {
    return (int) Math.min(64 << 20, heapBytes / 4);
  }

  @Override
  public String name() {
    return server.uri();
  }

  @Override
  public void connect() {
    loop.checkInside();
    var unused = channel.getState(true);
  }

  @Override
  public ServerStream<DiscoveryRequest> open(Listener listener) {
    return open(AggregatedDiscoveryServiceGrpc.getStreamAggregatedResourcesMethod(), listener);
  }

  @Override
  public Optional<LrsTransport> loadReports() {
    return Optional.of(
        listener -> open(LoadReportingServiceGrpc.getStreamLoadStatsMethod(), listener));
  }

  private <Q, R> ServerStream<Q> open(
      MethodDescriptor<Q, R> method, ServerStream.Listener<R> listener) {
    loop.checkInside();
    var responses = new ResponseMarshaller<>(method.getResponseMarshaller());
    var bounded = method.toBuilder(method.getRequestMarshaller(), responses).build();
    return new GrpcStream<>(bounded, listener).start();
  }

  private <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method) {
    if (channel.isShutdown() && !closed) {
      channel = channel(server, credentials.channel(), keepAlive);
      hasTimedOut = false;
    }
    openStreams++;
    return channel.newCall(method, calls);
  }

  @Override
  public void close() {
    loop.checkInside();
    closed = true;
    credentials.close();
    channel.shutdownNow();
  }

  /** One stream. The callbacks of gRPC are handled on the control loop. */
  private final class GrpcStream<Q, R> implements ServerStream<Q> {
    private final ServerStream.Listener<R> listener;
    private final ClientCall<Q, R> call;
    private TimerHandle connecting = () -> {};
    private boolean attached; // whether gRPC has assigned the stream to a connection
    private boolean closed;
    private boolean ended; // whether the transport has counted the end of the stream

    GrpcStream(MethodDescriptor<Q, R> method, ServerStream.Listener<R> listener) {
      this.listener = listener;
      this.call = newCall(method);
    }

    GrpcStream<Q, R> start() {
      call.start(new Callbacks(), new Metadata());
      connecting = loop.schedule(keepAlive.connect(), this::timeOut);
      return this;
    }

    @Override
    public void send(Q message) {
      loop.checkInside();
      if (!closed) { // gRPC rejects messages of a cancelled call
        call.sendMessage(message);
      }
    }

    @Override
    public boolean isReady() {
      return call.isReady();
    }

    @Override
    public void requestNext() {
      loop.checkInside();
      call.request(1);
    }

    @Override
    public void close() {
      loop.checkInside();
      if (!closed) {
        closed = true;
        call.cancel("closed by the client", null);
        if (countEnd() && openStreams == 0) {
          channel.shutdown(); // a server that is no longer needed keeps no connection (A71)
        }
      }
    }

    /**
     * Called when no connection was ready in time. The attempt to connect continues, because gRPC
     * may try further addresses. If the next stream also times out, the channel is shut down, which
     * ends the attempt to connect.
     */
    private void timeOut() {
      closed = true;
      var unused = countEnd();
      call.cancel("no connection", null);
      if (attachedStreams == 0 && hasTimedOut) {
        channel.shutdownNow();
      }
      hasTimedOut = true;
      listener.onClosed(
          RpcStatus.unavailable(
              ("no HTTP/2 connection after %d s; check whether another program listens there, or a"
                      + " firewall drops packets")
                  .formatted(keepAlive.connect().toSeconds())));
    }

    private void end(Status status) {
      RpcStatus reason = StreamFailure.toRpcStatus(status);
      if (countEnd() && !attached && attachedStreams == 0) {
        channel.shutdown(); // otherwise, other streams have a connection
      }
      listener.onClosed(reason);
    }

    /** Stops counting this stream as open; returns false if it was not counted any more. */
    private boolean countEnd() {
      if (ended) {
        return false;
      }
      ended = true;
      connecting.cancel();
      openStreams--;
      attachedStreams -= attached ? 1 : 0;
      return true;
    }

    private final class Callbacks extends ClientCall.Listener<R> {
      @Override
      public void onReady() {
        loop.execute(
            () -> {
              if (!attached && !ended) {
                attached = true;
                connecting.cancel();
                attachedStreams++;
                hasTimedOut = false;
              }
              listener.onReady();
            });
      }

      @Override
      public void onMessage(R message) {
        loop.execute(() -> listener.onResponse(message));
      }

      @Override
      public void onClose(Status status, Metadata trailers) {
        loop.execute(() -> end(status));
      }
    }
  }
}
