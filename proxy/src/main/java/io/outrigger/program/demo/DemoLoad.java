package io.outrigger.program.demo;

import com.google.protobuf.StringValue;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.outrigger.base.AnyThread;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The app: a plain gRPC client without xDS, which connects to the sidecar's local port. */
@AnyThread
final class DemoLoad implements AutoCloseable {
  private static final int CALLS_PER_SECOND = 50;

  private final ManagedChannel channel;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            var thread = new Thread(task, "demo-load");
            thread.setDaemon(true);
            return thread;
          });
  private final AtomicLong succeeded = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final Map<String, Long> byBackend = new ConcurrentHashMap<>();
  private final Map<String, Long> byFailure = new ConcurrentHashMap<>();

  DemoLoad(InetSocketAddress sidecar) {
    channel = NettyChannelBuilder.forAddress(sidecar).usePlaintext().build();
  }

  /**
   * Sends one call at a time until one succeeds, and then at a steady rate. Calls therefore do not
   * pile up during the start.
   */
  void start() {
    call();
  }

  private void onAnswer(String answer) {
    byBackend.merge(answer.substring(answer.lastIndexOf(' ') + 1), 1L, Long::sum);
    if (succeeded.incrementAndGet() == 1 && !clock.isShutdown()) {
      clock.scheduleAtFixedRate(this::call, 0, 1_000_000 / CALLS_PER_SECOND, TimeUnit.MICROSECONDS);
    }
  }

  private void onFailure(Status status) {
    byFailure.merge(status.getCode() + ": " + status.getDescription(), 1L, Long::sum);
    failed.incrementAndGet();
    if (succeeded.get() == 0 && !clock.isShutdown()) {
      clock.schedule(this::call, 100, TimeUnit.MILLISECONDS);
    }
  }

  long succeeded() {
    return succeeded.get();
  }

  long failed() {
    return failed.get();
  }

  /** Returns the number of replies per backend since the last call of this method. */
  Map<String, Long> takeByBackend() {
    return take(byBackend);
  }

  /** Returns the number of failures per status text since the last call of this method. */
  Map<String, Long> takeByFailure() {
    return take(byFailure);
  }

  private void call() {
    ClientCalls.asyncUnaryCall(
        channel.newCall(DemoBackend.HELLO, CallOptions.DEFAULT),
        StringValue.of("demo"),
        new StreamObserver<StringValue>() {
          @Override
          public void onNext(StringValue answer) {
            onAnswer(answer.getValue());
          }

          @Override
          public void onError(Throwable failure) {
            DemoLoad.this.onFailure(Status.fromThrowable(failure));
          }

          @Override
          public void onCompleted() {}
        });
  }

  /** Stops sending, and waits for calls in flight. */
  @Override
  public void close() {
    clock.shutdownNow();
    channel.shutdown();
    try {
      if (!channel.awaitTermination(5, TimeUnit.SECONDS)) {
        channel.shutdownNow();
      }
    } catch (InterruptedException e) {
      channel.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the counts and sets them to zero. */
  private static Map<String, Long> take(Map<String, Long> counts) {
    Map<String, Long> taken = new TreeMap<>();
    counts.keySet().forEach(key -> taken.put(key, counts.remove(key)));
    return taken;
  }
}
