package io.outrigger.xds.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A SPIFFE agent's Workload API, on a unix socket or a port of loopback, which answers what the
 * test says: nothing at first.
 */
public final class WorkloadAgent implements AutoCloseable {
  private static final Metadata.Key<String> HEADER =
      Metadata.Key.of("workload.spiffe.io", Metadata.ASCII_STRING_MARSHALLER);

  private static final Bytes BYTES = new Bytes();

  private final @Nullable Path socket;
  private final List<StreamObserver<byte[]>> streams = new ArrayList<>();
  private @Nullable MultiThreadIoEventLoopGroup loops;
  private @Nullable Server server;
  private byte @Nullable [] answer;
  private int port;
  private int opened;

  /** One on a unix socket, which is there until {@link #kill}. */
  public WorkloadAgent(Path socket) {
    this.socket = socket;
    revive();
  }

  /** One on a port of loopback. */
  public WorkloadAgent() {
    socket = null;
    revive();
  }

  /** For the bootstrap. */
  public String endpoint() {
    return socket == null ? "tcp://127.0.0.1:" + port : "unix://" + socket;
  }

  /** How many calls with the header there have been. */
  public synchronized int opened() {
    return opened;
  }

  /** Answers those who ask now, and all who will. */
  public synchronized void say(byte[] response) {
    answer = response;
    streams.forEach(stream -> stream.onNext(response));
  }

  /** Ends the calls that are open. */
  public synchronized void end(Status status) {
    streams.forEach(stream -> stream.onError(status.asException()));
    streams.clear();
  }

  /** Is gone, with its socket. */
  public synchronized void kill() {
    Server running = server;
    if (running != null) {
      server = null;
      streams.clear();
      running.shutdownNow();
      loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
      if (socket != null) {
        try {
          Files.deleteIfExists(socket);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  /** Is there again. */
  public synchronized void revive() {
    loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    NettyServerBuilder builder =
        socket == null
            ? NettyServerBuilder.forAddress(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    InsecureServerCredentials.create())
                .channelType(EpollServerSocketChannel.class)
            : NettyServerBuilder.forAddress(
                    new DomainSocketAddress(socket.toFile()), InsecureServerCredentials.create())
                .channelType(EpollServerDomainSocketChannel.class);
    try {
      server =
          builder
              .bossEventLoopGroup(loops)
              .workerEventLoopGroup(loops)
              .directExecutor()
              .addService(ServerInterceptors.intercept(service(), new Guard()))
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    port = socket == null ? server.getPort() : 0;
  }

  @Override
  public void close() {
    kill();
  }

  private ServerServiceDefinition service() {
    MethodDescriptor<byte[], byte[]> fetch =
        MethodDescriptor.<byte[], byte[]>newBuilder(BYTES, BYTES)
            .setType(MethodType.SERVER_STREAMING)
            .setFullMethodName("SpiffeWorkloadAPI/FetchX509SVID")
            .build();
    return ServerServiceDefinition.builder("SpiffeWorkloadAPI")
        .addMethod(fetch, ServerCalls.asyncServerStreamingCall((request, call) -> onCall(call)))
        .build();
  }

  private synchronized void onCall(StreamObserver<byte[]> call) {
    opened++;
    streams.add(call);
    if (answer != null) {
      call.onNext(answer);
    }
  }

  /** As agents do: a call without the header comes from somebody who was tricked into it. */
  private static final class Guard implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      if (!"true".equals(headers.get(HEADER))) {
        call.close(Status.INVALID_ARGUMENT.withDescription("security header missing"), headers);
        return new ServerCall.Listener<>() {};
      }
      return Contexts.interceptCall(Context.current(), call, headers, next);
    }
  }

  /** An answer with one SVID. */
  public static byte[] response(
      String id,
      TestIdentity identity,
      TestAuthority bundle,
      Map<String, TestAuthority> federated) {
    var response = UnknownFieldSet.newBuilder();
    add(response, 1, svid(id, identity, bundle));
    federated.forEach((domain, root) -> add(response, 3, entry(domain, root)));
    return response.build().toByteArray();
  }

  /** The answers after each other, as one: fields that may be many are. */
  public static byte[] joined(byte[]... responses) {
    return Arrays.stream(responses)
        .map(ByteString::copyFrom)
        .reduce(ByteString.EMPTY, ByteString::concat)
        .toByteArray();
  }

  private static ByteString svid(String id, TestIdentity identity, TestAuthority bundle) {
    var svid = UnknownFieldSet.newBuilder();
    add(svid, 1, ByteString.copyFromUtf8(id));
    add(svid, 2, der(identity.chain()));
    add(svid, 3, ByteString.copyFrom(identity.key().getEncoded()));
    add(svid, 4, der(List.of(bundle.root())));
    return svid.build().toByteString();
  }

  private static ByteString entry(String domain, TestAuthority root) {
    var entry = UnknownFieldSet.newBuilder();
    add(entry, 1, ByteString.copyFromUtf8(domain));
    add(entry, 2, der(List.of(root.root())));
    return entry.build().toByteString();
  }

  private static void add(UnknownFieldSet.Builder message, int field, ByteString value) {
    message.mergeField(field, UnknownFieldSet.Field.newBuilder().addLengthDelimited(value).build());
  }

  private static ByteString der(List<X509Certificate> certificates) {
    return certificates.stream()
        .map(
            each -> {
              try {
                return ByteString.copyFrom(each.getEncoded());
              } catch (CertificateEncodingException e) {
                throw new IllegalStateException(e);
              }
            })
        .reduce(ByteString.EMPTY, ByteString::concat);
  }
}
