package io.outrigger.observe.admin.channelz;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/** Converts between the observers of unary gRPC calls and futures. */
public final class UnaryCalls {
  private UnaryCalls() {}

  /** Sends the result or the failure of a future to an observer. */
  public static <T> void answer(StreamObserver<T> out, CompletionStage<T> result) {
    var unused =
        result.whenComplete(
            (message, failure) -> {
              if (failure == null) {
                out.onNext(message);
                out.onCompleted();
              } else {
                out.onError(status(failure).asRuntimeException());
              }
            });
  }

  static <Q, T> CompletionStage<T> call(BiConsumer<Q, StreamObserver<T>> service, Q request) {
    var answer = new CompletableFuture<T>();
    service.accept(
        request,
        new StreamObserver<>() {
          @Override
          public void onNext(T message) {
            answer.complete(message);
          }

          @Override
          public void onError(Throwable failure) {
            answer.completeExceptionally(failure);
          }

          @Override
          public void onCompleted() {}
        });
    return answer;
  }

  static StatusRuntimeException notFound(String kind, long id) {
    return Status.NOT_FOUND.withDescription("there is no " + kind + " " + id).asRuntimeException();
  }

  /** Returns the status of a failed call, which is INTERNAL if the failure has no status. */
  public static Status status(Throwable failure) {
    Status status = Status.fromThrowable(failure);
    return status.getCode() == Status.Code.UNKNOWN
        ? Status.INTERNAL.withDescription("the view failed").withCause(failure)
        : status;
  }
}
