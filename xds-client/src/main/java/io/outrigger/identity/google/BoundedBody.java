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
 * The body of an answer of at most {@link #MAX_BYTES}; a longer one fails and is read no further.
 * The HTTP client calls it from one thread after the other.
 */
@AnyThread
final class BoundedBody implements BodySubscriber<byte[]> {
  /** Tokens have some 2 KiB. */
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
    given.request(Long.MAX_VALUE); // bounded by what onNext keeps
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
