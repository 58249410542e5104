package io.outrigger.program.cli;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A gRPC server that echoes a stream of texts, and a client of it. */
final class TestBackend implements AutoCloseable {
  private static final MethodDescriptor<String, String> CHAT =
      MethodDescriptor.<String, String>newBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName("test.Echo/Chat")
          .setRequestMarshaller(new Text())
          .setResponseMarshaller(new Text())
          .build();

  private final Server server;

  private TestBackend(Server server) {
    this.server = server;
  }

  static TestBackend start() throws IOException {
    return new TestBackend(
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                ServerServiceDefinition.builder("test.Echo")
                    .addMethod(CHAT, ServerCalls.asyncBidiStreamingCall(Echo::new))
                    .build())
            .build()
            .start());
  }

  int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  /** One text there and back over a connection of its own. */
  static String echo(int port, String text) {
    try (var chat = Chat.open(port)) {
      chat.say(text);
      String heard = chat.hear();
      chat.end();
      String end = chat.hear();
      return end.equals("OK") ? heard : heard + ", then " + end;
    }
  }

  /** An open call over a connection of its own; what it hears includes how it ended. */
  static final class Chat implements StreamObserver<String>, AutoCloseable {
    private final ManagedChannel channel;
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final StreamObserver<String> requests;

    private Chat(int port) {
      channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
      requests =
          ClientCalls.asyncBidiStreamingCall(channel.newCall(CHAT, CallOptions.DEFAULT), this);
    }

    static Chat open(int port) {
      return new Chat(port);
    }

    void say(String text) {
      requests.onNext(text);
    }

    void end() {
      requests.onCompleted();
    }

    String hear() {
      try {
        String text = heard.poll(60, TimeUnit.SECONDS);
        return text == null ? "silence" : text;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }

    @Override
    public void onNext(String text) {
      heard.add(text);
    }

    @Override
    public void onError(Throwable error) {
      heard.add(String.valueOf(error.getMessage()));
    }

    @Override
    public void onCompleted() {
      heard.add("OK");
    }

    @Override
    public void close() {
      channel.shutdownNow();
    }
  }

  /** The backend's side of one call. */
  private record Echo(StreamObserver<String> replies) implements StreamObserver<String> {
    @Override
    public void onNext(String text) {
      replies.onNext("echo " + text);
    }

    @Override
    public void onError(Throwable error) {
      // the client is gone: nobody is left to tell
    }

    @Override
    public void onCompleted() {
      replies.onCompleted();
    }
  }

  /** Texts as they are, UTF-8. */
  private static final class Text implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String text) {
      return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
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
