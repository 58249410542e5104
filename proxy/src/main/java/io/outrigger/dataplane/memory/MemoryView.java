package io.outrigger.dataplane.memory;

import io.outrigger.base.AnyThread;
import java.util.List;

/**
 * What peers make the process hold, at one moment.
 *
 * @param heapBytes on the heap, after the last collection
 * @param directBytes in buffers outside of it
 * @param limits what may be held
 * @param ended what was ended since the start so that memory became free
 * @param heaviest the connections that hold most, heaviest first
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
   * What may be held.
   *
   * @param heapBytes on the heap
   * @param directBytes in buffers outside of it
   * @param totalBytes on both together
   */
  public record Limits(long heapBytes, long directBytes, long totalBytes) {
    public Limits {
      if (heapBytes <= 0 || directBytes <= 0 || totalBytes <= 0) {
        throw new IllegalArgumentException("a limit is not positive");
      }
    }
  }

  /** How many connections to one side were ended so that memory became free. */
  public record EndedCount(PeerSide side, long count) {}

  /**
   * One connection.
   *
   * @param bytes about how many would be free without it
   */
  public record Holder(PeerSide side, String peer, long bytes, int streams) {}
}
