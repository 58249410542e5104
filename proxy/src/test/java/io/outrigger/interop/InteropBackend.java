package io.outrigger.interop;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.integration.TestServiceImpl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** gRPC's own test service. It remembers the headers of calls and which calls were cancelled. */
final class InteropBackend implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  /** Names the test that made a call: what comes late of one before is passed over. */
  private static final Metadata.Key<String> TEST =
      Metadata.Key.of("x-test", Metadata.ASCII_STRING_MARSHALLER);

  private final AtomicInteger tests = new AtomicInteger();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final BlockingQueue<Metadata> headers = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> cancelled = new LinkedBlockingQueue<>();
  private final Server server;

  InteropBackend() {
    try {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .addService(
                  ServerInterceptors.intercept(
                      new TestServiceImpl(timer).bindService(), TestServiceImpl.interceptors()))
              .intercept(new Watcher())
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return server.getPort();
  }

  /** Another test begins: only calls with its {@link #marks} count. */
  void forget() {
    tests.incrementAndGet();
    headers.clear();
    cancelled.clear();
  }

  /** The headers by which calls are known to be of the present test. */
  Metadata marks() {
    var marks = new Metadata();
    marks.put(TEST, tests.toString());
    return marks;
  }

  private boolean isOfThisTest(Metadata received) {
    return tests.toString().equals(received.get(TEST));
  }

  /** The headers of the next call since {@link #forget}. */
  Metadata awaitHeaders() throws InterruptedException {
    Metadata next = headers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("no call came");
    }
    return next;
  }

  /** The method of the next call that was cancelled since {@link #forget}. */
  String awaitCancelled() throws InterruptedException {
    String next = cancelled.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    return next == null ? "none" : next;
  }

  @Override
  public void close() {
    server.shutdownNow();
    timer.shutdownNow();
  }

  private final class Watcher implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata received, ServerCallHandler<Q, R> next) {
      if (isOfThisTest(received)) {
        headers.add(received);
      }
      String method = call.getMethodDescriptor().getBareMethodName();
      Context.current()
          .addListener(
              context -> {
                if (context.cancellationCause() != null && isOfThisTest(received)) {
                  cancelled.add(String.valueOf(method));
                }
              },
              Runnable::run);
      return next.startCall(call, received);
    }
  }
}
