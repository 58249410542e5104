package io.outrigger.oracle;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ChannelLogger;
import io.grpc.ClientStreamTracer;
import io.grpc.InternalChannelz.SocketStats;
import io.grpc.InternalLogId;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.internal.ClientStream;
import io.grpc.internal.ClientStreamListener;
import io.grpc.internal.ClientTransportFactory;
import io.grpc.internal.ConnectionClientTransport;
import io.grpc.internal.NoopClientStream;
import io.grpc.internal.SimpleDisconnectError;
import io.outrigger.oracle.StoryNetwork.Condition;
import io.outrigger.testing.FakeControlLoop;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** Connections of a gRPC channel that do what the story says; who answers stands in trailers. */
final class GrpcConnections implements ClientTransportFactory {
  private static final Metadata.Key<String> PORT =
      Metadata.Key.of("port", Metadata.ASCII_STRING_MARSHALLER);

  private final FakeControlLoop loop;
  private final StoryNetwork network = new StoryNetwork();
  private final List<Connection> connections = new ArrayList<>();

  GrpcConnections(FakeControlLoop loop) {
    this.loop = loop;
  }

  static String port(Metadata trailers) {
    String port = trailers.get(PORT);
    return port == null ? "nobody" : port;
  }

  void set(int port, Condition condition) {
    network.set(port, condition);
    List.copyOf(connections).forEach(Connection::settle);
  }

  @Override
  public ConnectionClientTransport newClientTransport(
      SocketAddress address, ClientTransportOptions options, ChannelLogger logger) {
    return new Connection(((InetSocketAddress) address).getPort());
  }

  @Override
  public ScheduledExecutorService getScheduledExecutorService() {
    return new LoopScheduler(loop);
  }

  @Override
  public @Nullable SwapChannelCredentialsResult swapChannelCredentials(ChannelCredentials creds) {
    return null;
  }

  @Override
  public Collection<Class<? extends SocketAddress>> getSupportedSocketAddressTypes() {
    return List.of(InetSocketAddress.class);
  }

  @Override
  public void close() {}

  private final class Connection implements ConnectionClientTransport {
    private final int port;
    private final InternalLogId id = InternalLogId.allocate(Connection.class, null);
    private @Nullable Listener listener;
    private boolean ready;
    private boolean over;

    Connection(int port) {
      this.port = port;
    }

    /** What the network makes of it now. */
    void settle() {
      Condition condition = network.of(port);
      if (condition == Condition.UP && !ready && !over && listener != null) {
        ready = true;
        listener.transportReady();
      } else if (condition == Condition.DOWN) {
        end(Status.UNAVAILABLE.withDescription("refused"));
      }
    }

    private void end(Status status) {
      connections.remove(this);
      if (!over && listener != null) {
        over = true;
        listener.transportShutdown(status, SimpleDisconnectError.UNKNOWN);
        listener.transportTerminated();
      }
    }

    @Override
    public @Nullable Runnable start(Listener hears) {
      listener = hears;
      connections.add(this);
      loop.execute(this::settle);
      return null;
    }

    @Override
    public void shutdown(Status reason) {
      loop.execute(() -> end(reason));
    }

    @Override
    public void shutdownNow(Status reason) {
      shutdown(reason);
    }

    @Override
    public ClientStream newStream(
        MethodDescriptor<?, ?> method,
        Metadata headers,
        CallOptions options,
        ClientStreamTracer[] tracers) {
      return new NoopClientStream() {
        @Override
        public void start(ClientStreamListener caller) {
          var trailers = new Metadata();
          trailers.put(PORT, String.valueOf(port));
          loop.execute(
              () -> caller.closed(Status.OK, ClientStreamListener.RpcProgress.PROCESSED, trailers));
        }
      };
    }

    @Override
    public void ping(PingCallback callback, Executor executor) {
      throw new UnsupportedOperationException("nobody pings");
    }

    @Override
    public Attributes getAttributes() {
      return Attributes.EMPTY;
    }

    @Override
    public ListenableFuture<SocketStats> getStats() {
      return Futures.immediateFailedFuture(new UnsupportedOperationException("no statistics"));
    }

    @Override
    public InternalLogId getLogId() {
      return id;
    }
  }
}
