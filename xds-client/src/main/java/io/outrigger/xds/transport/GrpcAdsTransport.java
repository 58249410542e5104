package io.outrigger.xds.transport;

import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelRegistry.ProviderNotFoundException;
import io.grpc.Metadata;
import io.grpc.Status;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.stream.AdsStream;
import io.outrigger.xds.stream.AdsTransport;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * ADS over a gRPC channel. The channel connects with the first stream. Streams do not wait for
 * ready, so that they fail with the reason when the server cannot be reached (A57).
 *
 * <p>The channel's own back-off between connections would come on top of that between streams, and
 * fail streams with an old reason meanwhile. So a stream that never reached a connection sends the
 * channel back to idle: the next stream tries once more, at the time that its owner chose.
 */
@ControlConfined
public final class GrpcAdsTransport implements AdsTransport {
  private static final int MAX_RESPONSE_BYTES = 64 << 20;

  /**
   * How a path to the server that is silently dead is found: a ping after {@code time} without a
   * byte from it, and {@code timeout} for the answer. gRPC lets {@code time} be 10 s or more.
   */
  record KeepAlive(Duration time, Duration timeout) {
    static final KeepAlive DEFAULT = // A57-38
        new KeepAlive(Duration.ofMinutes(5), Duration.ofSeconds(20));
  }

  private final ControlLoop loop;
  private final String name;
  private final ServerCredentials credentials;
  private final ManagedChannel channel;
  private final CallOptions calls;
  private int openStreams;

  /**
   * Makes the channel; may be called on any thread.
   *
   * @throws IllegalArgumentException naming the server, if its target or a file that its
   *     credentials name cannot be used
   */
  public GrpcAdsTransport(ControlLoop loop, XdsServer server) {
    this(loop, server, KeepAlive.DEFAULT);
  }

  GrpcAdsTransport(ControlLoop loop, XdsServer server, KeepAlive keepAlive) {
    this.loop = loop;
    name = server.uri();
    credentials = ServerCredentials.of(loop, server);
    channel = channel(server, credentials.channel(), keepAlive);
    calls = CallOptions.DEFAULT.withCallCredentials(credentials.calls().orElse(null));
    loop.execute(credentials::start);
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

  @Override
  public String name() {
    return name;
  }

  @Override
  public AdsStream open(Listener listener) {
    loop.checkInside();
    ClientCall<DiscoveryRequest, DiscoveryResponse> call =
        channel.newCall(AggregatedDiscoveryServiceGrpc.getStreamAggregatedResourcesMethod(), calls);
    var callbacks = new Callbacks(listener);
    call.start(callbacks, new Metadata());
    openStreams++;
    return new Stream(call, callbacks);
  }

  @Override
  public void close() {
    loop.checkInside();
    credentials.close();
    channel.shutdownNow();
  }

  /** One line: gRPC's own description goes on with the channel's pipeline. */
  private static RpcStatus toRpcStatus(Status status) {
    String description = status.getDescription();
    Throwable cause = status.getCause();
    String message = description == null ? "" : description.lines().findFirst().orElse("");
    if (cause != null && cause.getMessage() != null && !message.contains(cause.getMessage())) {
      message = message.isEmpty() ? cause.getMessage() : message + ": " + cause.getMessage();
    }
    return new RpcStatus(RpcStatus.Code.ofNumber(status.getCode().value()), message);
  }

  private final class Callbacks extends ClientCall.Listener<DiscoveryResponse> {
    private final Listener listener;
    private boolean attached; // these two on the control loop
    private boolean over;

    Callbacks(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void onReady() {
      loop.execute(
          () -> {
            attached = true;
            listener.onReady();
          });
    }

    @Override
    public void onMessage(DiscoveryResponse response) {
      loop.execute(() -> listener.onResponse(response));
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      loop.execute(
          () -> {
            countOut();
            if (!attached) {
              channel.enterIdle();
            }
            listener.onClosed(toRpcStatus(status));
          });
    }

    private void countOut() {
      if (!over) {
        over = true;
        openStreams--;
      }
    }
  }

  private final class Stream implements AdsStream {
    private final ClientCall<DiscoveryRequest, DiscoveryResponse> call;
    private final Callbacks callbacks;
    private boolean closed;

    Stream(ClientCall<DiscoveryRequest, DiscoveryResponse> call, Callbacks callbacks) {
      this.call = call;
      this.callbacks = callbacks;
    }

    @Override
    public void send(DiscoveryRequest request) {
      loop.checkInside();
      if (!closed) { // a cancelled call does not take messages
        call.sendMessage(request);
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
        callbacks.countOut();
        if (openStreams == 0) {
          channel.enterIdle(); // a fall-back server that is not needed keeps no connection (A71)
        }
      }
    }
  }
}
