package io.outrigger.oracle;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.outrigger.program.testing.mesh.Sidecar;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/** One of the two that are compared. An answer is the backend's name, or the code of a failure. */
final class Client implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;
  private static final int BATCH = 100;

  private final ManagedChannel channel;

  Client(ManagedChannel channel) {
    this.channel = channel;
  }

  /** A call in progress. */
  record Pending(ListenableFuture<String> future) {
    /** Its answer; fails the test when it takes too long. */
    String await() {
      String answer = await(2 * PATIENCE_SECONDS * 1000);
      if (answer.equals("open")) {
        throw new AssertionError("a call does not end");
      }
      return answer;
    }

    /** Its answer, or {@code open} when there is none after {@code millis}. */
    String await(long millis) {
      try {
        return future.get(millis, TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        return Status.fromThrowable(e).getCode().name();
      } catch (TimeoutException e) {
        return "open";
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }

    void cancel() {
      future.cancel(true);
    }
  }

  /** Starts a call that gives up after a while. */
  Pending start(Request request) {
    return start(
        request, CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  /** Starts a call. */
  Pending start(Request request, CallOptions options) {
    var intercepted =
        ClientInterceptors.intercept(
            channel, MetadataUtils.newAttachHeadersInterceptor(request.metadata()));
    var call = intercepted.newCall(NamedBackend.method(request.path().substring(1)), options);
    return new Pending(ClientCalls.futureUnaryCall(call, ""));
  }

  String ask(Request request) {
    return start(request).await();
  }

  /** The trailers that end a call. */
  Metadata trailersOf(Request request) {
    var headers = new AtomicReference<Metadata>();
    var trailers = new AtomicReference<Metadata>();
    var captured =
        ClientInterceptors.intercept(
            channel, MetadataUtils.newCaptureMetadataInterceptor(headers, trailers));
    ClientCalls.blockingUnaryCall(
        captured,
        NamedBackend.method(request.path().substring(1)),
        CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS),
        "");
    return trailers.get();
  }

  /** The answers to many calls, some of them at a time. */
  List<String> askAll(List<Request> requests) {
    List<String> answers = new ArrayList<>();
    for (int from = 0; from < requests.size(); from += BATCH) {
      List<Pending> batch =
          requests.subList(from, Math.min(from + BATCH, requests.size())).stream()
              .map(this::start)
              .toList();
      batch.forEach(pending -> answers.add(pending.await()));
    }
    return answers;
  }

  /** Asks again and again until the answer is {@code wanted}; fails the test after a while. */
  void awaitAnswer(Request request, String wanted) {
    long start = System.nanoTime();
    String last = ask(request);
    while (!last.equals(wanted)) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(2 * PATIENCE_SECONDS)) {
        throw new AssertionError(
            channel + " answers " + last + " to " + request + ", never " + wanted);
      }
      last = ask(request);
    }
  }

  @Override
  public void close() {
    Sidecar.shut(channel);
  }
}
