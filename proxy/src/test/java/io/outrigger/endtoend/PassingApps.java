package io.outrigger.endtoend;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.netty.NettyChannelBuilder;
import io.outrigger.base.WaitingClock;
import io.outrigger.testing.Await;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Apps that come and go, one after the other, from a thread of their own: each makes a connection,
 * begins three streams, cancels one before it was answered and one amid its messages, ends the last
 * in good order, and closes its connection.
 */
final class PassingApps implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(50);

  private final SocketAddress sidecar;
  private final String path;
  private final AtomicLong connections = new AtomicLong();
  private final AtomicLong cancels = new AtomicLong();
  private final Map<String, AtomicLong> failures = new ConcurrentSkipListMap<>();
  private final Thread thread = new Thread(this::run, "passing-apps");
  private volatile boolean stopped;

  /**
   * @param path of a method that gives back each message
   */
  PassingApps(SocketAddress sidecar, String path) {
    this.sidecar = sidecar;
    this.path = path;
    thread.start();
  }

  /** Connections that were made and closed. */
  long connections() {
    return connections.get();
  }

  /** Calls that an app gave up. */
  long cancels() {
    return cancels.get();
  }

  /** Calls that ended in another way than meant, by text. */
  Map<String, AtomicLong> failures() {
    return failures;
  }

  private void run() {
    while (!stopped) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress(sidecar).usePlaintext().disableRetry().build();
      try {
        Talk early = new Talk(channel, Code.CANCELLED);
        early.call.cancel("not needed any more", null);
        Talk late = new Talk(channel, Code.CANCELLED);
        late.awaitAnswer();
        late.call.sendMessage("and");
        late.call.cancel("heard enough", null);
        cancels.addAndGet(2);
        Talk whole = new Talk(channel, Code.OK);
        whole.call.halfClose();
        whole.awaitEnd();
        connections.incrementAndGet();
      } finally {
        channel.shutdownNow();
      }
      WaitingClock.sleep(TICK);
    }
  }

  private void fail(String how) {
    failures.computeIfAbsent(how, key -> new AtomicLong()).incrementAndGet();
  }

  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(Await.PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One stream, with its first message sent. */
  private final class Talk extends ClientCall.Listener<String> {
    final ClientCall<String, String> call;
    private final Code meant;
    private final CountDownLatch answer = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    Talk(ManagedChannel channel, Code meant) {
      this.meant = meant;
      call =
          channel.newCall(
              Text.method(path, MethodType.BIDI_STREAMING), CallOptions.DEFAULT.withWaitForReady());
      call.start(this, new Metadata());
      call.request(10);
      call.sendMessage("first");
    }

    @Override
    public void onMessage(String message) {
      answer.countDown();
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (status.getCode() != meant) {
        fail(status.getCode() + " instead of " + meant + ": " + status.getDescription());
      }
      answer.countDown();
      end.countDown();
    }

    void awaitAnswer() {
      await(answer, "no answer");
    }

    void awaitEnd() {
      await(end, "no end");
    }

    private void await(CountDownLatch latch, String otherwise) {
      try {
        if (!latch.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
          fail(otherwise);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
