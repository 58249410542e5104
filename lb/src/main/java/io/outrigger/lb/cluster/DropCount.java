package io.outrigger.lb.cluster;

import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.LongAdder;

@AnyThread
final class DropCount {
  private final LongAdder total = new LongAdder();
  private long last; // used on the control loop only

  void onDrop() {
    total.increment();
  }

  long total() {
    return total.sum();
  }

  /**
   * The number of dropped calls since the last call of this method. This method must run on the
   * control loop.
   */
  long sinceLast() {
    long before = last;
    last = total();
    return last - before;
  }
}
