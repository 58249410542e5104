package io.outrigger.program.demo;

import com.google.protobuf.StringValue;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.outrigger.base.AnyThread;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A user of the app with a session, who sends back the cookie of the last response. */
@AnyThread
final class DemoVisitor implements AutoCloseable {
  private static final long DEADLINE_SECONDS = 30;
  private static final Metadata.Key<String> COOKIE = key("cookie");
  private static final Metadata.Key<String> SET_COOKIE = key("set-cookie");

  private final ManagedChannel channel;
  private final AtomicReference<Metadata> received = new AtomicReference<>();
  private volatile String cookie = "";

  DemoVisitor(InetSocketAddress sidecar) {
    channel = NettyChannelBuilder.forAddress(sidecar).usePlaintext().build();
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /** Makes one call and returns the name of the backend that replied, or the status on failure. */
  String call() {
    var sent = new Metadata();
    if (!cookie.isEmpty()) {
      sent.put(COOKIE, cookie);
    }
    Channel withCookie =
        ClientInterceptors.intercept(
            channel,
            MetadataUtils.newAttachHeadersInterceptor(sent),
            MetadataUtils.newCaptureMetadataInterceptor(received, new AtomicReference<>()));
    try {
      String answer =
          ClientCalls.blockingUnaryCall(
                  withCookie,
                  DemoBackend.HELLO,
                  CallOptions.DEFAULT.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS),
                  StringValue.of("visitor"))
              .getValue();
      Optional.ofNullable(received.get())
          .map(headers -> headers.get(SET_COOKIE))
          .ifPresent(set -> cookie = set.substring(0, set.indexOf(';')));
      return answer.substring(answer.lastIndexOf(' ') + 1);
    } catch (StatusRuntimeException e) {
      return e.getStatus().toString();
    }
  }

  /** Drops the cookie, so the next call begins another session. */
  void forget() {
    cookie = "";
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
