package io.outrigger.program.app;

import io.outrigger.dataplane.memory.MemoryView;
import java.util.List;
import java.util.Locale;

/**
 * The answer of {@code GET /memory}; its names are those of the JSON.
 *
 * @param heap what peers had on the heap after the last collection, in bytes
 * @param direct what buffers outside of it take
 * @param total both together ({@code --max-memory})
 * @param ended how many connections were ended since the start so that memory became free
 * @param heaviest the connections that hold most
 */
record MemoryReport(
    Share heap, Share direct, Share total, List<Ended> ended, List<Holder> heaviest) {
  /** Bytes of a limit. */
  record Share(long held, long limit) {}

  /** Connections of apps or to backends. */
  record Ended(String side, long count) {}

  /** One connection, and about how many bytes would be free without it. */
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
