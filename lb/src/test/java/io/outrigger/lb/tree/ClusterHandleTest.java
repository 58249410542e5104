package io.outrigger.lb.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.lb.Picker;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.Samples;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClusterHandleTest {
  private final List<ClusterHandle> unused = new ArrayList<>();
  private int firsts;
  private final ClusterHandle handle =
      new ClusterHandle("pay", new Picker.Fixed(Samples.QUEUE), unused::add, () -> firsts++);

  @Conformance("SC-20")
  @Test
  void waitingCallsAreWokenInOrderOfArrivalByAnotherPicker() {
    List<String> woken = new ArrayList<>();
    Picker seen = handle.picker();
    handle.park(() -> woken.add("first"), seen);
    handle.park(() -> woken.add("second"), seen);
    handle.park(() -> woken.add("third"), seen);
    assertThat(handle.parked()).isEqualTo(3);

    handle.publish(Connectivity.READY, new Picker.Fixed(Samples.QUEUE));

    assertThat(woken).containsExactly("first", "second", "third");
    assertThat(handle.parked()).isZero();
  }

  @Test
  void whoWaitsAgainWhenItIsWokenWaitsForTheNextPicker() {
    List<String> woken = new ArrayList<>();
    Runnable waitAgain = () -> handle.park(() -> woken.add("again"), handle.picker());
    handle.park(waitAgain::run, handle.picker());

    handle.publish(Connectivity.CONNECTING, new Picker.Fixed(Samples.QUEUE));
    assertThat(woken).isEmpty();
    handle.publish(Connectivity.READY, new Picker.Fixed(Samples.QUEUE));

    assertThat(woken).containsExactly("again");
  }

  @Test
  void aCallThatSawAnOldPickerDoesNotWait() {
    Picker seen = handle.picker();
    handle.publish(Connectivity.READY, new Picker.Fixed(Samples.QUEUE));

    assertThat(handle.park(() -> {}, seen)).isEqualTo(PickQueue.NOT_PARKED);
    assertThat(handle.parked()).isZero();
  }

  @Test
  void theFirstOfThoseWhoWaitIsTold() {
    Picker seen = handle.picker();
    long first = handle.park(() -> {}, seen);
    handle.park(() -> {}, seen);
    assertThat(firsts).isEqualTo(1);

    handle.unpark(first);
    handle.park(() -> {}, seen);
    assertThat(firsts).isEqualTo(1);

    handle.publish(Connectivity.CONNECTING, new Picker.Fixed(Samples.QUEUE));
    handle.park(() -> {}, seen); // it does not wait
    assertThat(firsts).isEqualTo(1);
    handle.park(() -> {}, handle.picker());
    assertThat(firsts).isEqualTo(2);
  }

  @Test
  void aCallThatGaveUpIsNotWoken() {
    long ticket =
        handle.park(
            () -> {
              throw new AssertionError("woken");
            },
            handle.picker());

    assertThat(handle.unpark(ticket)).isTrue();
    handle.publish(Connectivity.READY, new Picker.Fixed(Samples.QUEUE));

    assertThat(handle.unpark(ticket)).isFalse();
  }

  @Test
  void aRetiredHandleRefusesCallsAndTellsOfTheLastRelease() {
    assertThat(handle.acquire()).isTrue();
    assertThat(handle.acquire()).isTrue();

    assertThat(handle.retire()).isFalse();
    assertThat(handle.acquire()).isFalse();
    handle.release();
    assertThat(unused).isEmpty();
    handle.release();

    assertThat(unused).containsExactly(handle);
    assertThat(handle.isUnused()).isTrue();
  }

  @Test
  void aHandleThatNobodyHoldsIsUnusedAtOnce() {
    assertThat(handle.retire()).isTrue();
    assertThat(unused).isEmpty();
  }

  @Test
  void aRevivedHandleTakesCallsAgain() {
    handle.acquire();
    handle.retire();

    handle.revive();
    handle.release();

    assertThat(unused).isEmpty();
    assertThat(handle.acquire()).isTrue();
    assertThat(handle.callsInUse()).isEqualTo(1);
  }

  /** Many loops park and are woken while pickers change: every call ends, none is woken twice. */
  @Conformance("SC-20")
  @Test
  void noWakeUpIsLost() throws InterruptedException {
    int loops = 4;
    int calls = 20_000;
    var wokenTwice = new AtomicInteger();
    var stopped = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int loop = 0; loop < loops; loop++) {
      var thread =
          new Thread(
              () -> {
                for (int i = 0; i < calls; i++) {
                  waitForAnotherPicker(wokenTwice);
                }
                stopped.incrementAndGet();
              });
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }

    while (stopped.get() < loops) {
      handle.publish(Connectivity.CONNECTING, new Picker.Fixed(Samples.QUEUE));
    }

    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(wokenTwice.get()).isZero();
    assertThat(handle.parked()).isZero();
  }

  private void waitForAnotherPicker(AtomicInteger wokenTwice) {
    var woken = new CountDownLatch(1);
    var wakes = new AtomicInteger();
    Picker seen = handle.picker();
    long ticket =
        handle.park(
            () -> {
              if (wakes.incrementAndGet() > 1) {
                wokenTwice.incrementAndGet();
              }
              woken.countDown();
            },
            seen);
    if (ticket == PickQueue.NOT_PARKED) {
      assertThat(handle.picker()).isNotSameAs(seen);
      return;
    }
    try {
      woken.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Calls come and go while the handle is retired and revived: it is never ended under a call. */
  @Test
  void aHeldHandleIsNeverReportedUnused() throws InterruptedException {
    var reports = new AtomicInteger();
    var contested =
        new ClusterHandle(
            "pay", new Picker.Fixed(Samples.QUEUE), done -> reports.incrementAndGet(), () -> {});
    var stopped = new AtomicInteger();
    var broken = new AtomicInteger();
    int threads = 4;
    for (int t = 0; t < threads; t++) {
      var thread =
          new Thread(
              () -> {
                for (int i = 0; i < 50_000; i++) {
                  if (contested.acquire()) {
                    if (contested.isUnused()) {
                      broken.incrementAndGet();
                    }
                    contested.release();
                  }
                }
                stopped.incrementAndGet();
              });
      thread.setDaemon(true);
      thread.start();
    }

    while (stopped.get() < threads) {
      contested.retire();
      Thread.onSpinWait();
      contested.revive();
    }

    assertThat(broken.get()).isZero();
    assertThat(contested.callsInUse()).isZero();
    assertThat(contested.acquire()).isTrue();
  }
}
