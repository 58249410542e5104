package io.outrigger.program.app;

import io.outrigger.dataplane.memory.MemoryView;
import java.util.List;

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
    Share heap,
    Share direct,
    Share total,
    List<MemoryView.EndedCount> ended,
    List<MemoryView.Holder> heaviest) {
  record Share(long held, long limit) {}

  static MemoryReport of(MemoryView view) {
    return new MemoryReport(
        new Share(view.heapBytes(), view.limits().heapBytes()),
        new Share(view.directBytes(), view.limits().directBytes()),
        new Share(view.heapBytes() + view.directBytes(), view.limits().totalBytes()),
        view.ended(),
        view.heaviest());
  }
}
