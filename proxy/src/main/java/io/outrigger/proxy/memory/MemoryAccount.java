package io.outrigger.proxy.memory;

import io.outrigger.base.LoopConfined;

/**
 * The bytes that live because of one peer. Whoever keeps something for the peer adds its size, and
 * takes it off when it lets go; both cost a few additions.
 */
@LoopConfined
public final class MemoryAccount {
  private final LoopAccounts loop;
  private final MemoryHolder holder;
  private final PeerSide side;
  private long heapBytes;
  private long directBytes;

  /** What the loop had taken in all when this account last gave something back. */
  private long movedAt;

  /**
   * The least that it held when it gave back, in this second and in the one before: what lay still
   * all the while. The greatest number where it gave nothing back.
   */
  private long leastHeapNow = Long.MAX_VALUE;

  private long leastHeapBefore = Long.MAX_VALUE;
  private long leastDirectNow = Long.MAX_VALUE;
  private long leastDirectBefore = Long.MAX_VALUE;

  /** How often it gave back in these two. */
  private int givesNow;

  private int givesBefore;

  /** Its place among the loop's accounts; kept by {@link LoopAccounts}. */
  int place;

  MemoryAccount(LoopAccounts loop, MemoryHolder holder, PeerSide side) {
    this.loop = loop;
    this.holder = holder;
    this.side = side;
    movedAt = loop.taken();
  }

  /** Counts {@code bytes} of the heap, or with a negative number gives them back. */
  public void heap(long bytes) {
    heapBytes += bytes;
    if (bytes < 0) {
      onGivenBack();
    }
    loop.heap(this, bytes);
  }

  /** Counts {@code bytes} of buffers outside of the heap, or gives them back. */
  public void direct(long bytes) {
    directBytes += bytes;
    if (bytes < 0) {
      onGivenBack();
    }
    loop.direct(this, bytes);
  }

  private void onGivenBack() {
    movedAt = loop.taken();
    givesNow++;
    leastHeapNow = Math.min(leastHeapNow, heapBytes);
    leastDirectNow = Math.min(leastDirectNow, directBytes);
  }

  /** A second is over. */
  void onSecondOver() {
    leastHeapBefore = leastHeapNow;
    leastHeapNow = Long.MAX_VALUE;
    leastDirectBefore = leastDirectNow;
    leastDirectNow = Long.MAX_VALUE;
    givesBefore = givesNow;
    givesNow = 0;
  }

  /** How much it weighs where {@code shortage} is what is wrong; see {@link Weight}. */
  long weight(Weight.Shortage shortage) {
    boolean ofHeap = shortage.ofHeap();
    long all = ofHeap ? heapBytes : directBytes;
    long still =
        ofHeap
            ? Math.min(leastHeapNow, leastHeapBefore)
            : Math.min(leastDirectNow, leastDirectBefore);
    return Weight.of(
        holder.isShared(),
        bytes(),
        all,
        Math.min(all, still),
        loop.taken() - movedAt,
        givesNow + givesBefore,
        shortage);
  }

  public long heapBytes() {
    return heapBytes;
  }

  public long directBytes() {
    return directBytes;
  }

  /** Both together. */
  long bytes() {
    return heapBytes + directBytes;
  }

  /** Whether its connection is among those of the loop. */
  boolean isOpen() {
    return place >= 0;
  }

  MemoryHolder holder() {
    return holder;
  }

  PeerSide side() {
    return side;
  }

  /** See {@link Relief#goIfHeavy}. */
  public void relieveIfHeavy() {
    loop.relieveIfHeavy();
  }

  /** Counts a stream that was ended so that memory becomes free. */
  public void onStreamEnded() {
    loop.ledger().onEnded(side, MemoryView.Ended.STREAM);
  }

  /** Counts the connection as ended so that memory becomes free. */
  public void onConnectionEnded() {
    loop.ledger().onEnded(side, MemoryView.Ended.CONNECTION);
  }

  /** The connection is gone, and nothing is left of it. Harmless a second time. */
  public void close() {
    heap(-heapBytes);
    direct(-directBytes);
    loop.remove(this);
  }
}
