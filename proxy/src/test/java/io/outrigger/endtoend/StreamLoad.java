package io.outrigger.endtoend;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.outrigger.base.WaitingClock;
import io.outrigger.testing.Await;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bidirectional streams from a thread of their own: a new one at each tick, each with a message per
 * tick for as many ticks as streams are open at a time, then its end. No more than {@value
 * #MAX_UNANSWERED} messages are under way: a machine that is too slow for the rate gets fewer.
 */
final class StreamLoad implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(20);
  private static final int MAX_UNANSWERED = 200;

  private final ManagedChannel channel;
  private final String path;
  private final int open;
  private final AtomicLong ended = new AtomicLong();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong answered = new AtomicLong();
  private final Map<String, AtomicLong> failures = new ConcurrentSkipListMap<>();
  private final Thread thread = new Thread(this::run, "stream-load");
  private volatile boolean stopped;

  /**
   * @param open how many streams are open at a time
   */
  StreamLoad(ManagedChannel channel, String path, int open) {
    this.channel = channel;
    this.path = path;
    this.open = open;
    thread.start();
  }

  /** Streams that ended well. */
  long succeeded() {
    return ended.get();
  }

  /** Failures so far, by text. */
  Map<String, AtomicLong> failures() {
    return failures;
  }

  private void run() {
    Deque<ClientCall<String, String>> streams = new ArrayDeque<>();
    while (!stopped) {
      if (sent.get() - answered.get() < MAX_UNANSWERED) {
        streams.add(start());
        for (ClientCall<String, String> stream : streams) {
          sent.incrementAndGet();
          stream.sendMessage("tick");
        }
        if (streams.size() > open) {
          streams.remove().halfClose();
        }
      }
      WaitingClock.sleep(TICK);
    }
    streams.forEach(ClientCall::halfClose);
  }

  private ClientCall<String, String> start() {
    ClientCall<String, String> call =
        channel.newCall(
            Text.method(path, MethodType.BIDI_STREAMING), CallOptions.DEFAULT.withWaitForReady());
    running.incrementAndGet();
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(String message) {
            answered.incrementAndGet();
            call.request(1);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            if (status.isOk()) {
              ended.incrementAndGet();
            } else {
              failures
                  .computeIfAbsent(
                      status.getCode() + ": " + status.getDescription(), key -> new AtomicLong())
                  .incrementAndGet();
            }
            running.decrementAndGet();
          }
        },
        new Metadata());
    call.request(1);
    return call;
  }

  /** Ends the streams and waits for them. */
  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(Await.PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Await.until("every stream ends", () -> running + " are open", () -> running.get() == 0);
  }
}
