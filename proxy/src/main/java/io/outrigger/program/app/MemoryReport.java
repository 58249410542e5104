package io.outrigger.program.app;

import io.outrigger.dataplane.memory.MemoryView;
import java.util.List;
import java.util.Locale;

/**
 * The reply of {@code GET /memory}; the component names are the JSON names.
 *
 * @param heap bytes that peers held on the heap after the last collection
 * @param direct bytes of buffers outside the heap
 * @param total the sum of heap and direct bytes ({@code --max-memory})
 * @param ended how many connections were closed since the start to free memory
 * @param heaviest the connections that hold most memory
 */
record MemoryReport(
    Share heap, Share direct, Share total, List<Ended> ended, List<Holder> heaviest) {
  /** The bytes in use, and their limit. */
  record Share(long held, long limit) {}

  /** The number of closed connections of one side: apps or backends. */
  record Ended(String side, long count) {}

  /** One connection, with the approximate number of bytes that its end would free. */
  record Holder(String side, String peer, long bytes, int streams) {}

  static MemoryReport of(MemoryView view) {
    return new MemoryReport(
        new Share(view.heapBytes(), view.limits().heapBytes()),
        new Share(view.directBytes(), view.limits().directBytes()),
        new Share(view.heapBytes() + view.directBytes(), view.limits().totalBytes()),
        view.ended().stream().map(each -> new Ended(word(each.side()), each.count())).toList(),
        view.heaviest().stream()
            .map(each -> new Holder(word(each.side()), each.peer(), each.bytes(), each.streams()))
            .toList());
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
