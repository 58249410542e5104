package io.outrigger.xds.testing;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceWatcher;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A watcher on a real control loop, for a test on another thread, which waits for what comes:
 * {@code ok: …}, {@code failed: CODE: message}, {@code ambient: CODE: message}.
 */
public final class AwaitingWatcher<T> implements ResourceWatcher<T> {
  private static final long PATIENCE_SECONDS = 60;

  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final Function<? super T, String> content;

  /**
   * @param content how a resource is told
   */
  public AwaitingWatcher(Function<? super T, String> content) {
    this.content = content;
  }

  /** The next thing that it is told; fails the test if nothing comes. */
  public String await() {
    try {
      String next = told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError("the watcher was told nothing within " + PATIENCE_SECONDS + " s");
      }
      return next;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Whether everything that it was told was awaited. */
  public boolean isEmpty() {
    return told.isEmpty();
  }

  @Override
  public void onChanged(Outcome<T> resource) {
    told.add(resource.match(value -> "ok: " + content.apply(value), status -> "failed: " + status));
  }

  @Override
  public void onAmbientError(RpcStatus status) {
    told.add("ambient: " + status);
  }
}
