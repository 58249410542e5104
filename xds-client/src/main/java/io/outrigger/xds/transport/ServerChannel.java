package io.outrigger.xds.transport;

import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelRegistry.ProviderNotFoundException;
import io.grpc.MethodDescriptor;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.XdsServer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The gRPC channel to a control plane, which all streams to it share. It connects with the first
 * stream. Streams do not wait for ready, so that they fail with the reason when the server cannot
 * be reached (A57).
 *
 * <p>The channel's own back-off between connections would come on top of that between streams, and
 * fail streams with an old reason meanwhile. So a stream that never reached a connection ends the
 * channel: the next stream makes another, which tries once, at the time that its owner chose.
 */
@ControlConfined
final class ServerChannel {
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
  private final XdsServer server;
  private final KeepAlive keepAlive;
  private final ServerCredentials credentials;
  private ManagedChannel channel;
  private final CallOptions calls;
  private int openStreams;
  private int attachedStreams;
  private boolean closed;

  /**
   * Makes the channel; may be called on any thread.
   *
   * @param environment what credentials find there
   * @throws IllegalArgumentException naming the server, if its target or a file that its
   *     credentials name cannot be used
   */
  ServerChannel(
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
   * Makes a channel and gives it up before it connects. Blocks while files are read.
   *
   * @throws IllegalArgumentException as the constructor
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

  String name() {
    return server.uri();
  }

  ControlLoop loop() {
    return loop;
  }

  /** A call that has not started; its stream is counted from now on. */
  <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method) {
    if (channel.isShutdown() && !closed) {
      channel = channel(server, credentials.channel(), keepAlive);
    }
    openStreams++;
    return channel.newCall(method, calls);
  }

  /** A stream has reached a connection. */
  void onAttached() {
    attachedStreams++;
  }

  /** A stream has ended by itself; {@code attached} tells whether it had reached a connection. */
  void onEnded(boolean attached) {
    count(attached);
    if (!attached && attachedStreams == 0) { // others may well have a connection that works
      channel.shutdown();
    }
  }

  /** A stream was given up: a server that is not needed any more keeps no connection (A71). */
  void onGivenUp(boolean attached) {
    count(attached);
    if (openStreams == 0) {
      channel.shutdown();
    }
  }

  private void count(boolean attached) {
    openStreams--;
    attachedStreams -= attached ? 1 : 0;
  }

  void close() {
    loop.checkInside();
    closed = true;
    credentials.close();
    channel.shutdownNow();
  }
}
