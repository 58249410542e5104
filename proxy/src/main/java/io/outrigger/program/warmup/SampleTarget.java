package io.outrigger.program.warmup;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.lb.tree.ParkedCall;
import io.outrigger.lb.tree.PickQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A target that receives its configuration while its first call waits, as for a real app. */
@AnyThread
final class SampleTarget implements ForwardTarget {
  private final PickQueue waiting = new PickQueue();
  private final CompletableFuture<Void> parked = new CompletableFuture<>();
  private volatile @Nullable ConfigSelector selector;

  /** Completed on the first call's event loop, when that call is parked. */
  CompletableFuture<Void> parked() {
    return parked;
  }

  /** Publishes the selector of the calls. Runs on the control loop. */
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
    parked.complete(null);
    return ticket;
  }

  @Override
  public boolean unpark(long ticket) {
    return waiting.unpark(ticket);
  }
}
