package io.outrigger.program.warmup;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.lb.tree.ParkedCall;
import io.outrigger.lb.tree.PickQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A target whose configuration comes when its first call waits for it, as it is for an app. */
@AnyThread
final class SampleTarget implements ForwardTarget {
  private final PickQueue waiting = new PickQueue();
  private final CompletableFuture<Void> asked = new CompletableFuture<>();
  private volatile @Nullable ConfigSelector selector;

  /** Completed on the first call's event loop, when it waits. */
  CompletableFuture<Void> asked() {
    return asked;
  }

  /** Gives calls their selector. On the control loop. */
  void publish(ConfigSelector next) {
    selector = next;
    waiting.wakeAll();
  }

  @Override
  public String name() {
    return "xds:///" + SampleConfig.AUTHORITY;
  }

  @Override
  public String authority() {
    return SampleConfig.AUTHORITY;
  }

  @Override
  public @Nullable ConfigSelector selector() {
    return selector;
  }

  @Override
  public long park(ParkedCall call, @Nullable ConfigSelector seen) {
    long ticket = waiting.park(call, () -> selector != seen);
    asked.complete(null);
    return ticket;
  }

  @Override
  public boolean unpark(long ticket) {
    return waiting.unpark(ticket);
  }
}
