package io.outrigger.proxy.warmup;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.tree.ParkedCall;
import io.outrigger.proxy.route.ConfigSelector;
import io.outrigger.proxy.route.ForwardTarget;
import org.jspecify.annotations.Nullable;

/** A target whose configuration is there before its first call: nobody waits for it. */
@AnyThread
final class SampleTarget implements ForwardTarget {
  private volatile @Nullable ConfigSelector selector;

  void publish(ConfigSelector next) {
    selector = next;
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
  public long park(ParkedCall call) {
    return -1; // look again: there is a selector
  }

  @Override
  public boolean unpark(long ticket) {
    return false;
  }
}
