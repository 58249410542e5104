package io.outrigger.endtoend;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslContext;
import io.outrigger.testing.Await;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A plain gRPC client on one connection to the sidecar's port; it knows nothing of xDS. */
final class App implements AutoCloseable {
  static final String WAIT_FOR_READY = "x-outrigger-wait-for-ready";
  static final String LOCAL = "x-outrigger-local";

  /** How a call ended. */
  record Reply(Status status, @Nullable String text, Metadata headers, Metadata trailers) {
    /** The backend's name, for calls that went well. */
    String backend() {
      if (!status.isOk() || text == null) {
        throw new AssertionError(status);
      }
      return text;
    }

    /** The values of a field, of the head and of the last block. */
    List<String> all(String name) {
      List<String> values = new ArrayList<>();
      for (Metadata block : List.of(headers, trailers)) {
        Iterable<String> found = block.getAll(key(name));
        if (found != null) {
          found.forEach(values::add);
        }
      }
      return values;
    }

    Status.Code code() {
      return status.getCode();
    }

    String message() {
      String description = status.getDescription();
      return description == null ? "" : description;
    }

    /** Why the sidecar answered itself; empty text when it did not. */
    String local() {
      String reason = trailers.get(key(LOCAL));
      return reason == null ? "" : reason;
    }
  }

  private final ManagedChannel channel;
  private CallOptions always = CallOptions.DEFAULT;

  App(SocketAddress sidecar) {
    this(NettyChannelBuilder.forAddress(sidecar).disableRetry());
  }

  /** The same for a sidecar whose targets go by the authority. */
  App(SocketAddress sidecar, String authority) {
    this(NettyChannelBuilder.forAddress(sidecar).overrideAuthority(authority).disableRetry());
  }

  /** One that dials by TLS. */
  static App secured(SocketAddress sidecar, String authority, SslContext tls) {
    return new App(
        NettyChannelBuilder.forAddress(sidecar)
            .overrideAuthority(authority)
            .disableRetry()
            .sslContext(tls)
            .directExecutor()
            .build());
  }

  private App(ManagedChannel channel) {
    this.channel = channel;
  }

  private App(NettyChannelBuilder channel) {
    this(channel.usePlaintext().directExecutor().build());
  }

  /**
   * One that makes a call anew of which nothing was sent, as gRPC does unless told otherwise: its
   * library may choose a connection for a call just as the GOAWAY comes in on it.
   */
  static App thatHonoursGoAway(SocketAddress sidecar) {
    return new App(NettyChannelBuilder.forAddress(sidecar));
  }

  /** From now on calls wait for a connection, as they do in an app that outlives its sidecar. */
  App waitingForReady() {
    always = CallOptions.DEFAULT.withWaitForReady();
    return this;
  }

  static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /** Calls {@code path} and waits for the end. */
  Reply call(String path, String... headers) {
    return join(send(path, headers));
  }

  /** The same with a header of bytes. */
  Reply callWithBinary(String path, String header) {
    var fields = new Metadata();
    fields.put(Metadata.Key.of(header, Metadata.BINARY_BYTE_MARSHALLER), new byte[] {1, 2});
    return join(send(path, Optional.empty(), fields));
  }

  /** Calls {@code path}. */
  CompletableFuture<Reply> send(String path, String... headers) {
    return send(path, Optional.empty(), fields(headers));
  }

  /** Calls {@code path} with a deadline. */
  CompletableFuture<Reply> send(String path, Duration deadline, String... headers) {
    return send(path, Optional.of(deadline), fields(headers));
  }

  /** Calls {@code path} with a request of that text. */
  CompletableFuture<Reply> sendText(String path, Duration deadline, String request) {
    return send(path, Optional.of(deadline), fields(), request);
  }

  private static Metadata fields(String... namesAndValues) {
    var fields = new Metadata();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put(key(namesAndValues[i]), namesAndValues[i + 1]);
    }
    return fields;
  }

  private CompletableFuture<Reply> send(String path, Optional<Duration> deadline, Metadata fields) {
    return send(path, deadline, fields, "");
  }

  private CompletableFuture<Reply> send(
      String path, Optional<Duration> deadline, Metadata fields, String request) {
    CallOptions options =
        deadline
            .map(limit -> always.withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS))
            .orElse(always);
    ClientCall<String, String> call = channel.newCall(Text.method(path, MethodType.UNARY), options);
    var reply = new CompletableFuture<Reply>();
    call.start(
        new ClientCall.Listener<>() {
          private Metadata headers = new Metadata();
          private @Nullable String text;

          @Override
          public void onHeaders(Metadata head) {
            headers = head;
          }

          @Override
          public void onMessage(String message) {
            text = message;
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            reply.complete(new Reply(status, text, headers, trailers));
          }
        },
        fields);
    call.request(2);
    call.sendMessage(request);
    call.halfClose();
    return reply;
  }

  /** The reply, which must come soon. */
  static Reply join(CompletableFuture<Reply> reply) {
    return reply.orTimeout(Await.PATIENCE.toMillis() * 2, TimeUnit.MILLISECONDS).join();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    try {
      channel.awaitTermination(Await.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
