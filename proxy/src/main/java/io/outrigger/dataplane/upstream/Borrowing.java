package io.outrigger.dataplane.upstream;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.forward.StreamWaiter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * The calls of one event loop that wait for a stream on a connection of another loop (decision
 * proxy-0032). Each waiter gets its stream in {@link StreamWaiter#onOpened}. If the other loop has
 * no stream, the waiter goes back to its {@link Home}.
 */
@LoopConfined
final class Borrowing implements RemoteStream.Borrower {
  /** Receives the calls that got no stream from another loop. */
  interface Home {
    /** Called when the other loop has no stream for {@code waiter}; nothing was sent. */
    void onNotLent(StreamWaiter waiter, String reason);
  }

  private final Home home;
  private final Executor here;
  private final Map<StreamWaiter, RemoteStream> waiting = new LinkedHashMap<>(0);

  /**
   * @param here runs tasks on the loop of {@code home}
   */
  Borrowing(Home home, Executor here) {
    this.home = home;
    this.here = here;
  }

  /**
   * Makes {@code waiter} wait for a stream of {@code lender}.
   *
   * @param elsewhere runs tasks on the loop of {@code lender}
   */
  void borrow(StreamWaiter waiter, RemoteStreamOwner.Lender lender, Executor elsewhere) {
    var stream = new RemoteStream(this, waiter, here, lender, elsewhere);
    waiting.put(waiter, stream);
    stream.request();
  }

  /** Cancels the wait of {@code waiter}. Does nothing when {@code waiter} does not wait here. */
  void forget(StreamWaiter waiter) {
    RemoteStream stream = waiting.remove(waiter);
    if (stream != null) {
      stream.cancel();
    }
  }

  /** Cancels all waits and returns the waiters in the order in which they came. */
  List<StreamWaiter> takeBack() {
    List<StreamWaiter> all = new ArrayList<>(waiting.keySet());
    waiting.values().forEach(RemoteStream::cancel);
    waiting.clear();
    return all;
  }

  @Override
  public void onLent(StreamWaiter waiter) {
    waiting.remove(waiter);
  }

  @Override
  public void onNotLent(StreamWaiter waiter, String reason) {
    waiting.remove(waiter);
    home.onNotLent(waiter, reason);
  }
}
