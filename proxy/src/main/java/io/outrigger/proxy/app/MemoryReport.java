package io.outrigger.proxy.app;

import io.outrigger.proxy.memory.MemoryView;
import java.util.List;
import java.util.Locale;

/**
 * The answer of {@code GET /memory}; its names are those of the JSON.
 *
 * @param heap what peers make the heap hold, in bytes
 * @param direct the same of buffers outside of it
 * @param total both together ({@code --max-memory})
 * @param ended what was ended since the start so that memory became free
 * @param heaviest the connections that hold most
 */
record MemoryReport(
    Share heap, Share direct, Share total, List<Ended> ended, List<Holder> heaviest) {
  /** Bytes of a limit. */
  record Share(long held, long limit) {}

  /** Streams or connections of apps or backends. */
  record Ended(String side, String what, long count) {}

  /** One connection. */
  record Holder(String side, String peer, long heap, long direct, int streams) {}

  static MemoryReport of(MemoryView view) {
    return new MemoryReport(
        new Share(view.heapBytes(), view.limits().heapBytes()),
        new Share(view.directBytes(), view.limits().directBytes()),
        new Share(view.heapBytes() + view.directBytes(), view.limits().totalBytes()),
        view.ended().stream()
            .map(each -> new Ended(word(each.side()), word(each.what()), each.count()))
            .toList(),
        view.heaviest().stream()
            .map(
                each ->
                    new Holder(
                        word(each.side()),
                        each.peer(),
                        each.heapBytes(),
                        each.directBytes(),
                        each.streams()))
            .toList());
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
