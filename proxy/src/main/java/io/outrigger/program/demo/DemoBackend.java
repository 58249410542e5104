package io.outrigger.program.demo;

import com.google.protobuf.StringValue;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A gRPC server that replies with a greeting and its own name. The server can be killed and started
 * again on the same port.
 */
@AnyThread
final class DemoBackend {
  /** The method {@code /demo.Greeter/Hello}: its request and response are text. */
  static final MethodDescriptor<StringValue, StringValue> HELLO =
      MethodDescriptor.<StringValue, StringValue>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("demo.Greeter/Hello")
          .setRequestMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
          .setResponseMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
          .build();

  private final String name;
  private final AtomicLong answered = new AtomicLong();
  private volatile @Nullable Server server;
  private final int port;

  DemoBackend(String name) throws IOException {
    this.name = name;
    Server started = listen(0);
    server = started;
    port = started.getPort();
  }

  String name() {
    return name;
  }

  int port() {
    return port;
  }

  long answered() {
    return answered.get();
  }

  /** Ends the server immediately: connections break, and the port refuses new connections. */
  void kill() {
    Server running = server;
    if (running != null) {
      server = null;
      running.shutdownNow();
    }
  }

  void revive() throws IOException {
    if (server == null) {
      server = listen(port);
    }
  }

  private Server listen(int onPort) throws IOException {
    var service =
        ServerServiceDefinition.builder("demo.Greeter")
            .addMethod(
                HELLO,
                ServerCalls.asyncUnaryCall(
                    (request, reply) -> {
                      answered.incrementAndGet();
                      reply.onNext(
                          StringValue.of("hello " + request.getValue() + ", this is " + name));
                      reply.onCompleted();
                    }))
            .build();
    return NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), onPort))
        .addService(service)
        .build()
        .start();
  }
}
