package io.outrigger.identity.google;

import io.outrigger.base.AnyThread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Collects a response body of at most {@link #MAX_BYTES}. A longer body fails and is not read
 * further. The HTTP client calls this subscriber from one thread at a time.
 */
@AnyThread
final class BoundedBody implements BodySubscriber<byte[]> {
  /** The maximum size of a body; tokens have about 2 KiB. */
  static final int MAX_BYTES = 64 << 10;

  private final CompletableFuture<byte[]> body = new CompletableFuture<>();
  private final ByteArrayOutputStream read = new ByteArrayOutputStream();
  private Flow.@Nullable Subscription subscription;

  @Override
  public CompletionStage<byte[]> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(Long.MAX_VALUE); // onNext limits the bytes that are kept
  }

  @Override
  public void onNext(List<ByteBuffer> part) {
    for (ByteBuffer buffer : part) {
      if (read.size() + buffer.remaining() > MAX_BYTES) {
        if (subscription != null) {
          subscription.cancel();
        }
        body.completeExceptionally(new IOException("the answer is longer than 64 KiB"));
        return;
      }
      var bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      read.writeBytes(bytes);
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(read.toByteArray());
  }
}
