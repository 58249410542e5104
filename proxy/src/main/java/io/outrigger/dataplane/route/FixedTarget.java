package io.outrigger.dataplane.route;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.tree.ParkedCall;
import org.jspecify.annotations.Nullable;

/** A target whose configuration never changes: later requests get another target. */
@AnyThread
public record FixedTarget(String name, String authority, ConfigSelector selector)
    implements ForwardTarget {
  @Override
  public long park(ParkedCall call, @Nullable ConfigSelector seen) {
    throw new IllegalStateException("a call waits for a configuration that never changes");
  }

  @Override
  public boolean unpark(long ticket) {
    return false;
  }
}
