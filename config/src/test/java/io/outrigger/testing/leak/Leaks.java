package io.outrigger.testing.leak;

import io.outrigger.base.AnyThread;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What the leak detectors of this process have found and no test has failed for yet. */
@AnyThread
final class Leaks {
  static final Leaks INSTANCE = new Leaks();

  private static final long COLLECTED_WITHIN_MILLIS = 60_000;

  /** After the last use of Netty; what a thread still held at the first may have gone by then. */
  private static final int LOOKS = 2;

  private final List<RecordingLeakDetector<?>> detectors = new CopyOnWriteArrayList<>();
  private final Queue<String> found = new ConcurrentLinkedQueue<>();
  private final AtomicInteger looksLeft = new AtomicInteger();

  private Leaks() {}

  void watch(RecordingLeakDetector<?> detector) {
    detectors.add(detector);
  }

  /** Something is to be released from now on. */
  void onTracked() {
    if (looksLeft.get() != LOOKS) { // mostly a read: it is called for every buffer
      looksLeft.set(LOOKS);
    }
  }

  void add(String leak) {
    found.add(leak);
  }

  /**
   * Collects garbage and returns the leaks that came to light since the last call. Cheap as long as
   * nothing uses Netty: two collections take half a second on a slow machine.
   */
  List<String> take() throws InterruptedException {
    if (looksLeft.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      // Netty's references of one collection are queued for certain once the next one has been.
      awaitCollection();
      awaitCollection();
      detectors.forEach(Leaks::inspect);
    }
    List<String> leaks = new ArrayList<>();
    for (@Nullable String leak = found.poll(); leak != null; leak = found.poll()) {
      leaks.add(leak);
    }
    return leaks;
  }

  private static void awaitCollection() throws InterruptedException {
    ReferenceQueue<Object> queue = new ReferenceQueue<>();
    WeakReference<Object> marker = new WeakReference<>(new Object(), queue);
    System.gc();
    if (queue.remove(COLLECTED_WITHIN_MILLIS) != marker) {
      throw new IllegalStateException("no garbage collection within 60 s; leaks cannot be told");
    }
  }

  @SuppressWarnings("unchecked") // a detector only holds the probe, whatever its type
  private static void inspect(RecordingLeakDetector<?> detector) {
    ((RecordingLeakDetector<Object>) detector).inspect(new Object());
  }
}
