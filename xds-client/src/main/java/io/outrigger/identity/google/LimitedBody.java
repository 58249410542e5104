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
 * Receives the body of an HTTP response. A body of more than {@code maxBytes} fails. The HTTP
 * client calls this subscriber from one thread at a time.
 */
@AnyThread
final class LimitedBody implements BodySubscriber<byte[]> {
  private final int maxBytes;
  private final CompletableFuture<byte[]> body = new CompletableFuture<>();
  private final ByteArrayOutputStream read = new ByteArrayOutputStream();
  private Flow.@Nullable Subscription subscription;

  LimitedBody(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> part) {
    for (ByteBuffer buffer : part) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      read.writeBytes(bytes);
    }
    Flow.Subscription source = subscription;
    if (read.size() > maxBytes && source != null) {
      source.cancel();
      body.completeExceptionally(
          new IOException("its answer is longer than " + (maxBytes >> 10) + " KiB"));
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
