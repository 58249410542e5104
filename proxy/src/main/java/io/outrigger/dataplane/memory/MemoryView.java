package io.outrigger.dataplane.memory;

import io.outrigger.base.AnyThread;
import io.outrigger.http2.PeerErrors.Side;
import java.util.List;

/**
 * The memory that peers make the process hold, at one moment.
 *
 * @param heap the bytes on the heap, after the last collection
 * @param direct the bytes in buffers outside of the heap, and of TLS
 * @param total the sum of both
 * @param ended the numbers of connections that were ended since the start to free memory
 * @param heaviest the connections that hold the most memory, in descending order
 */
@AnyThread
public record MemoryView(
    Held heap, Held direct, Held total, List<EndedCount> ended, List<Holder> heaviest) {
  public MemoryView {
    ended = List.copyOf(ended);
    heaviest = List.copyOf(heaviest);
  }

  /** The bytes that are held, and the maximum that may be held. */
  public record Held(long held, long limit) {}

  /** The number of connections to one side that were ended to free memory. */
  public record EndedCount(Side side, long count) {}

  /**
   * A connection and the memory that it holds.
   *
   * @param bytes the approximate number of bytes that would be free without the connection
   */
  public record Holder(Side side, String peer, long bytes, int streams) {}
}
