package io.outrigger.program.testing.mesh;

import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.lb.tree.PickQueue;
import io.outrigger.lb.tree.PickQueue.ParkedCall;
import org.jspecify.annotations.Nullable;

/** A target whose selector the test publishes. */
public final class FakeTarget implements ForwardTarget {
  private final PickQueue queue = new PickQueue();
  private volatile @Nullable ConfigSelector selector;

  public void publish(ConfigSelector next) {
    selector = next;
    queue.wakeAll();
  }

  public int parked() {
    return queue.size();
  }

  @Override
  public String name() {
    return "xds:///orders";
  }

  @Override
  public String authority() {
    return "orders";
  }

  @Override
  public @Nullable ConfigSelector selector() {
    return selector;
  }

  @Override
  public long park(ParkedCall call, @Nullable ConfigSelector seen) {
    return queue.park(call, () -> selector != seen);
  }

  @Override
  public boolean unpark(long ticket) {
    return queue.unpark(ticket);
  }
}
