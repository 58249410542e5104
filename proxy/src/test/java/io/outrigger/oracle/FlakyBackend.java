package io.outrigger.oracle;

import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A backend that fails as often as the path says: {@code /CODE.FAILURES.HOW/Call}. It goes by the
 * number of attempts that the request names, so that a success tells that number: {@code
 * after-FAILURES}. HOW is {@code plain}; {@code begun} for a response whose head went out before;
 * or {@code push} with the milliseconds of a pushback.
 */
final class FlakyBackend implements AutoCloseable {
  private static final Metadata.Key<String> PREVIOUS = key("grpc-previous-rpc-attempts");
  private static final Metadata.Key<String> PUSHBACK = key("grpc-retry-pushback-ms");

  private final Server server;

  FlakyBackend() {
    try {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .fallbackHandlerRegistry(new AnyMethod())
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  private static final class AnyMethod extends HandlerRegistry {
    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String method, @Nullable String authority) {
      String[] words = method.substring(0, method.indexOf('/')).split("\\.", -1);
      return ServerMethodDefinition.create(
          NamedBackend.method(method), (call, headers) -> answer(call, headers, words));
    }

    private static ServerCall.Listener<String> answer(
        ServerCall<String, String> call, Metadata headers, String[] words) {
      call.request(1);
      String previous = headers.get(PREVIOUS);
      int attempt = previous == null ? 0 : Integer.parseInt(previous);
      var trailers = new Metadata();
      if (words[2].startsWith("push")) {
        trailers.put(PUSHBACK, words[2].substring("push".length()));
      }
      return new ServerCall.Listener<>() {
        @Override
        public void onHalfClose() {
          boolean fails = attempt < Integer.parseInt(words[1]);
          if (!fails || words[2].equals("begun")) {
            call.sendHeaders(new Metadata());
          }
          if (!fails) {
            call.sendMessage("after-" + attempt);
          }
          Status.Code code = fails ? Status.Code.valueOf(words[0]) : Status.Code.OK;
          call.close(code.toStatus().withDescription("attempt " + attempt), trailers);
        }
      };
    }
  }
}
