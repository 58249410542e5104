package io.outrigger.identity.tls;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ByteSize;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the body of an HTTP response: as a whole, or line by line. If the body, or a line of it,
 * is too long, the response fails. The HTTP client calls this subscriber from one thread at a time.
 */
@AnyThread
public final class ResponseBody implements BodySubscriber<byte[]> {
  public static final class TooLong extends IOException {
    private static final long serialVersionUID = 1;

    private TooLong(int maxBytes) {
      super("its answer is longer than " + ByteSize.format(maxBytes));
    }
  }

  private record Lines(Executor executor, Consumer<byte[]> consumer) {}

  private final Optional<Lines> lines;
  private final int maxBytes;
  private final CompletableFuture<byte[]> body = new CompletableFuture<>();
  private final ByteArrayOutputStream read = new ByteArrayOutputStream();
  private Flow.@Nullable Subscription subscription;

  private ResponseBody(Optional<Lines> lines, int maxBytes) {
    this.lines = lines;
    this.maxBytes = maxBytes;
  }

  public static ResponseBody whole(int maxBytes) {
    return new ResponseBody(Optional.empty(), maxBytes);
  }

  /**
   * @param executor the executor that passes each line to the consumer; the next line is read when
   *     the consumer has returned
   */
  public static ResponseBody lines(int maxBytes, Executor executor, Consumer<byte[]> consumer) {
    return new ResponseBody(Optional.of(new Lines(executor, consumer)), maxBytes);
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(1);
  }

  @Override
  public void onNext(List<ByteBuffer> part) {
    Flow.Subscription source = subscription;
    if (source == null) {
      throw new IllegalStateException("a part before the subscription");
    }
    List<byte[]> complete = new ArrayList<>();
    part.forEach(buffer -> take(buffer, complete));
    if (read.size() > maxBytes) {
      source.cancel();
      body.completeExceptionally(new TooLong(maxBytes));
      return;
    }
    lines.ifPresentOrElse(
        to ->
            to.executor()
                .execute(
                    () -> {
                      complete.forEach(to.consumer());
                      source.request(1);
                    }),
        () -> source.request(1));
  }

  private void take(ByteBuffer buffer, List<byte[]> complete) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    int start = 0;
    for (int end = endOfLine(bytes, 0); end >= 0; end = endOfLine(bytes, start)) {
      read.write(bytes, start, end - start);
      complete.add(read.toByteArray());
      read.reset();
      start = end + 1;
    }
    read.write(bytes, start, bytes.length - start);
  }

  /**
   * Returns the index of the next line feed; -1 if there is none, or if the body is received as a
   * whole.
   */
  private int endOfLine(byte[] bytes, int start) {
    int end = lines.isPresent() ? start : bytes.length;
    while (end < bytes.length && bytes[end] != '\n') {
      end++;
    }
    return end < bytes.length ? end : -1;
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
