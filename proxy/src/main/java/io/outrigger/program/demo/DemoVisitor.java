package io.outrigger.program.demo;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.outrigger.base.AnyThread;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A user of the app with a session. The user sends back the cookie of the last response; a gRPC
 * client needs no more than this interceptor for a session.
 */
@AnyThread
final class DemoVisitor implements AutoCloseable, ClientInterceptor {
  private static final long DEADLINE_SECONDS = 30;
  private static final Metadata.Key<String> COOKIE = key("cookie");
  private static final Metadata.Key<String> SET_COOKIE = key("set-cookie");

  private final ManagedChannel channel;
  private volatile String cookie = "";

  DemoVisitor(InetSocketAddress sidecar) {
    channel = NettyChannelBuilder.forAddress(sidecar).usePlaintext().intercept(this).build();
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /** Makes one call and returns the name of the backend that replied, or the status on failure. */
  String call() {
    try {
      String answer =
          ClientCalls.blockingUnaryCall(
              channel,
              DemoBackend.HELLO,
              CallOptions.DEFAULT.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS),
              "visitor");
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
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        if (!cookie.isEmpty()) {
          headers.put(COOKIE, cookie);
        }
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onHeaders(Metadata head) {
                String set = head.get(SET_COOKIE);
                if (set != null) {
                  cookie = set.substring(0, set.indexOf(';'));
                }
                super.onHeaders(head);
              }
            },
            headers);
      }
    };
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
