package io.outrigger.dataplane.memory;

import io.outrigger.base.AnyThread;
import io.outrigger.http2.PeerErrors.Side;
import java.util.List;

/**
 * The memory that peers make the process hold, at one moment.
 *
 * @param heapBytes the bytes held on the heap, after the last collection
 * @param directBytes the bytes held in buffers outside of the heap, and by TLS
 * @param limits the maximum numbers of bytes that may be held
 * @param ended the numbers of connections that were ended since the start to free memory
 * @param heaviest the connections that hold the most memory, in descending order
 */
@AnyThread
public record MemoryView(
    long heapBytes,
    long directBytes,
    Limits limits,
    List<EndedCount> ended,
    List<Holder> heaviest) {
  public MemoryView {
    ended = List.copyOf(ended);
    heaviest = List.copyOf(heaviest);
  }

  /**
   * The bytes that peers may make the process hold.
   *
   * @param heapBytes the limit of bytes on the heap
   * @param directBytes the limit of bytes in buffers outside of the heap
   * @param totalBytes the limit of heap bytes and buffer bytes together
   */
  public record Limits(long heapBytes, long directBytes, long totalBytes) {}

  /** The number of connections to one side that were ended to free memory. */
  public record EndedCount(Side side, long count) {}

  /**
   * A connection and the memory that it holds.
   *
   * @param bytes the approximate number of bytes that would be free without the connection
   */
  public record Holder(Side side, String peer, long bytes, int streams) {}
}
