package io.outrigger.interop;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What a call answered, for a test that waits for it: messages, then a status. */
final class Heard<T> implements StreamObserver<T> {
  private static final long PATIENCE_SECONDS = 60;

  private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

  @Override
  public void onNext(T message) {
    events.add(message);
  }

  @Override
  public void onError(Throwable error) {
    events.add(Status.fromThrowable(error));
  }

  @Override
  public void onCompleted() {
    events.add(Status.OK);
  }

  /** The next message; fails the test if the call ends or nothing comes. */
  @SuppressWarnings("unchecked") // only onNext adds what is not a Status
  T awaitMessage() throws InterruptedException {
    Object next = await();
    if (next instanceof Status status) {
      throw new AssertionError("the call ended: " + status);
    }
    return (T) next;
  }

  /** The messages until the call ended, which must be well. */
  @SuppressWarnings("unchecked") // only onNext adds what is not a Status
  List<T> awaitAll() throws InterruptedException {
    List<T> messages = new ArrayList<>();
    Object next = await();
    while (!(next instanceof Status)) {
      messages.add((T) next);
      next = await();
    }
    if (!((Status) next).isOk()) {
      throw new AssertionError("the call failed: " + next);
    }
    return messages;
  }

  /** The status, which must come next. */
  Status awaitStatus() throws InterruptedException {
    Object next = await();
    if (next instanceof Status status) {
      return status;
    }
    throw new AssertionError("a message instead of the end: " + next);
  }

  private Object await() throws InterruptedException {
    Object next = events.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("nothing came within " + PATIENCE_SECONDS + " s");
    }
    return next;
  }
}
