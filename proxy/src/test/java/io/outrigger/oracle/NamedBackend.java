package io.outrigger.oracle;

import io.grpc.HandlerRegistry;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerMethodDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.outrigger.testing.Await;
import io.outrigger.testing.RefusingPort;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A server that answers every method with its name, but those of {@link #SILENT} never. */
final class NamedBackend implements AutoCloseable {
  /** The service whose methods get no answer. */
  static final String SILENT = "oracle.Silent";

  private static final long PATIENCE_SECONDS = 60;

  private final String name;
  private final Consumer<ServerBuilder<?>> more;
  private final Runnable onCall;
  private final int port;
  private @Nullable Server server;
  private @Nullable RefusingPort refusing; // while there is no server

  NamedBackend(String name) {
    this(name, builder -> {}, () -> {});
  }

  /**
   * A backend with more to it.
   *
   * @param more adds to the server
   * @param onCall runs within each call, before it is answered
   */
  NamedBackend(String name, Consumer<ServerBuilder<?>> more, Runnable onCall) {
    this.name = name;
    this.more = more;
    this.onCall = onCall;
    Server started = listen(0);
    server = started;
    port = started.getPort();
  }

  /** A unary method with text in and out. */
  static MethodDescriptor<String, String> method(String fullName) {
    return MethodDescriptor.<String, String>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(fullName)
        .setRequestMarshaller(new Text())
        .setResponseMarshaller(new Text())
        .build();
  }

  String name() {
    return name;
  }

  int port() {
    return port;
  }

  /** Breaks its connections and refuses new ones. */
  void kill() {
    stop();
    refusing = RefusingPort.at(port);
  }

  private void stop() {
    if (refusing != null) {
      refusing.close();
      refusing = null;
    }
    Server running = server;
    if (running == null) {
      return;
    }
    server = null;
    try {
      if (!running.shutdownNow().awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the server does not end: " + name);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Comes back on its port. */
  void revive() {
    stop();
    server = Await.bound(() -> listen(port));
  }

  @Override
  public void close() {
    stop();
  }

  private Server listen(int onPort) {
    try {
      var builder =
          NettyServerBuilder.forAddress(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), onPort))
              .fallbackHandlerRegistry(new AnyMethod());
      more.accept(builder);
      return builder.build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private final class AnyMethod extends HandlerRegistry {
    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String method, @Nullable String authority) {
      return ServerMethodDefinition.create(
          method(method),
          ServerCalls.asyncUnaryCall(
              (request, reply) -> {
                onCall.run();
                if (!method.startsWith(SILENT + "/")) {
                  reply.onNext(name);
                  reply.onCompleted();
                }
              }));
    }
  }

  /** Text as the message itself. */
  private static final class Text implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String value) {
      return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream stream) {
      try {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
