package io.outrigger.dataplane.memory;

import io.outrigger.http2.PeerErrors.Side;
import java.util.List;

/**
 * The memory that peers make the process hold, at one moment.
 *
 * @param heap the bytes on the heap, after the last collection
 * @param direct the bytes outside of the heap: all buffers, and the memory of TLS
 * @param total the sum of heap and direct bytes
 */
public record MemoryView(Held heap, Held direct, Held total, List<EndedCount> ended) {
  public MemoryView {
    ended = List.copyOf(ended);
  }

  /** The bytes that peers hold, and the maximum that they may hold. */
  public record Held(long held, long limit) {}

  /** The number of connections to apps, or to backends, that were ended to free memory. */
  public record EndedCount(Side side, long count) {}
}
