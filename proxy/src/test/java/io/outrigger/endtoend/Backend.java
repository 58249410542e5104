package io.outrigger.endtoend;

import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.outrigger.testing.Await;
import io.outrigger.testing.RefusingPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A gRPC server that knows every method. It answers with its name once the app has half-closed; a
 * method called {@code Hold} is answered when the test says so; one called {@code Talk} gives back
 * each message. It can die and come back on its port.
 */
final class Backend implements AutoCloseable {
  /** What one call brought. */
  record Heard(String path, String authority, Metadata headers) {
    /** The first value of a header; empty text without one. */
    String header(String name) {
      String value = headers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
      return value == null ? "" : value;
    }

    /** The first value of a header of bytes; empty without one. */
    byte[] bytes(String name) {
      byte[] value = headers.get(Metadata.Key.of(name, Metadata.BINARY_BYTE_MARSHALLER));
      return value == null ? new byte[0] : value;
    }
  }

  private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);
  private static final int MAX_METADATA = 1 << 20; // more than any sidecar lets through

  private final String name;
  private final InetAddress host;
  private final int port;
  private final List<Heard> heard = new CopyOnWriteArrayList<>();
  private final Queue<ServerCall<String, String>> held = new ConcurrentLinkedQueue<>();
  private final AtomicLong started = new AtomicLong();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final AtomicInteger connections = new AtomicInteger();
  private volatile boolean recording = true;
  private volatile Status answer = Status.OK;
  private volatile @Nullable SslContext tls;
  private volatile Duration age = FOR_EVER;
  private volatile Duration grace = FOR_EVER;
  private final Set<Channel> accepted = ConcurrentHashMap.newKeySet();
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private @Nullable Server server;
  private @Nullable RefusingPort refusing; // while there is no server

  private Backend(String name, InetAddress host, RefusingPort port) {
    this.name = name;
    this.host = host;
    this.port = port.number();
    refusing = port;
  }

  static Backend start(String name) {
    return absent(name).revive();
  }

  /** One that is not there yet: its port refuses until {@link #revive}. */
  static Backend absent(String name) {
    return new Backend(name, InetAddress.getLoopbackAddress(), RefusingPort.any());
  }

  /** One on that port of another loopback address. */
  static Backend start(String name, String ip, int port) {
    InetAddress host = new InetSocketAddress(ip, port).getAddress();
    return new Backend(name, host, RefusingPort.at(host, port)).revive();
  }

  String name() {
    return name;
  }

  int port() {
    return port;
  }

  /** How many calls have come. */
  long started() {
    return started.get();
  }

  /** How many connections were ever accepted. */
  int connections() {
    return connections.get();
  }

  /** How many connections are open. */
  int openConnections() {
    return accepted.size();
  }

  /** The highest number of calls at one time. */
  int most() {
    return most.get();
  }

  /** How many calls it has at the moment. */
  int running() {
    return running.get();
  }

  List<Heard> heard() {
    return List.copyOf(heard);
  }

  Heard lastHeard() {
    return heard.get(heard.size() - 1);
  }

  /** Keeps no record of calls from here on, for load. */
  Backend quiet() {
    recording = false;
    return this;
  }

  /** Ends calls with {@code status} from here on; OK is how it begins. */
  Backend answering(Status status) {
    answer = status;
    return this;
  }

  /** Speaks TLS from its next start on; null for plain text. */
  Backend speaking(@Nullable SslContext context) {
    tls = context;
    return this;
  }

  /** Ends connections that are {@code most} old, from its next start on; at least a second. */
  Backend aging(Duration most, Duration thenGrace) {
    age = most;
    grace = thenGrace;
    return this;
  }

  /** How many calls are held. */
  int held() {
    return held.size();
  }

  /** Answers every call that is held. */
  void release() {
    for (ServerCall<String, String> call = held.poll(); call != null; call = held.poll()) {
      answer(call);
    }
  }

  /** Dies without a word: connections are reset and the port refuses. */
  Backend kill() {
    end();
    if (refusing == null) {
      refusing = RefusingPort.at(host, port);
    }
    return this;
  }

  /** Says GOAWAY, refuses new connections and finishes what runs. */
  Backend leave() {
    Server leaving = server;
    if (leaving != null) {
      leaving.shutdown();
    }
    return this;
  }

  /** Comes back on its port. */
  Backend revive() {
    end();
    freePort();
    server = Await.bound(() -> listen(port));
    return this;
  }

  private void freePort() {
    if (refusing != null) {
      refusing.close();
      refusing = null;
    }
  }

  private void end() {
    Server ending = server;
    server = null;
    if (ending == null) {
      return;
    }
    ending.shutdown();
    Await.until(
        "backend " + name + " has stopped",
        () -> {
          accepted.forEach(Backend::cut); // again: one may have come while the port closed
          return ending.awaitTermination(10, TimeUnit.MILLISECONDS);
        });
  }

  /** On its loop, where nobody else closes it meanwhile. */
  private static void cut(Channel connection) {
    connection
        .eventLoop()
        .execute(
            () -> {
              if (connection.isOpen()) {
                connection.config().setOption(ChannelOption.SO_LINGER, 0);
                // Not close(): the handlers would say goodbye first.
                connection.unsafe().close(connection.unsafe().voidPromise());
              }
            });
  }

  @Override
  public void close() {
    end();
    freePort();
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  /** Remembers the connections that it accepts. */
  private final class RecordingServerChannel extends NioServerSocketChannel {
    @Override
    protected int doReadMessages(List<Object> messages) throws Exception {
      int before = messages.size();
      int read = super.doReadMessages(messages);
      for (Object message : messages.subList(before, messages.size())) {
        Channel connection = (Channel) message;
        connections.incrementAndGet();
        accepted.add(connection);
        connection.closeFuture().addListener(closed -> accepted.remove(connection));
      }
      return read;
    }
  }

  private Server listen(int onPort) {
    try {
      var builder = NettyServerBuilder.forAddress(new InetSocketAddress(host, onPort));
      if (tls != null) {
        builder.sslContext(tls);
      }
      return builder
          .directExecutor()
          .maxInboundMetadataSize(MAX_METADATA)
          .maxConnectionAge(age.toNanos(), TimeUnit.NANOSECONDS)
          .maxConnectionAgeGrace(grace.toNanos(), TimeUnit.NANOSECONDS)
          .bossEventLoopGroup(loops)
          .workerEventLoopGroup(loops)
          .channelFactory(RecordingServerChannel::new)
          .withOption(ChannelOption.SO_REUSEADDR, true)
          .fallbackHandlerRegistry(
              new HandlerRegistry() {
                @Override
                public ServerMethodDefinition<?, ?> lookupMethod(
                    String path, @Nullable String authority) {
                  return ServerMethodDefinition.create(
                      Text.method(path, MethodType.BIDI_STREAMING), Backend.this::startCall);
                }
              })
          .build()
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ServerCall.Listener<String> startCall(ServerCall<String, String> call, Metadata headers) {
    started.incrementAndGet();
    String path = call.getMethodDescriptor().getFullMethodName();
    if (recording) {
      String authority = call.getAuthority();
      heard.add(new Heard(path, authority == null ? "" : authority, headers));
    }
    int now = running.incrementAndGet();
    most.accumulateAndGet(now, Math::max);
    call.request(1);
    boolean holds = path.endsWith("/Hold");
    boolean talks = path.endsWith("/Talk");
    if (talks) {
      call.sendHeaders(new Metadata());
    }
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(String message) {
        if (talks) {
          call.sendMessage(message);
        }
        call.request(1);
      }

      @Override
      public void onHalfClose() {
        if (holds) {
          held.add(call);
        } else if (talks) {
          call.close(answer, new Metadata());
        } else {
          answer(call);
        }
      }

      @Override
      public void onComplete() {
        running.decrementAndGet();
      }

      @Override
      public void onCancel() {
        running.decrementAndGet();
        held.remove(call);
      }
    };
  }

  private void answer(ServerCall<String, String> call) {
    if (call.isCancelled()) {
      return;
    }
    Status status = answer;
    if (status.isOk()) {
      call.sendHeaders(new Metadata());
      call.sendMessage(name);
    }
    call.close(status, new Metadata());
  }
}
