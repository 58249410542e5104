package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Limits the size of the histories of all resources of a client. Beyond a number of bytes, the
 * budget evicts the bodies and texts of the oldest changes, whichever resource they belong to.
 */
@ControlConfined
final class HistoryBudget {
  private static final long MAX_BYTES = 8 << 20;

  private final Set<ResourceHistory.Entry> oldestFirst = new LinkedHashSet<>();
  private final long maxBytes;
  private long bytes;

  HistoryBudget() {
    this(MAX_BYTES);
  }

  HistoryBudget(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  void add(ResourceHistory.Entry entry) {
    oldestFirst.add(entry);
    bytes += entry.size();
    Iterator<ResourceHistory.Entry> each = oldestFirst.iterator();
    while (bytes > maxBytes) {
      ResourceHistory.Entry oldest = each.next();
      each.remove();
      bytes -= oldest.size();
      oldest.shorten();
    }
  }

  void remove(ResourceHistory.Entry entry) {
    if (oldestFirst.remove(entry)) {
      bytes -= entry.size();
    }
  }

  /** Returns the number of changes that have not been shortened. */
  int count() {
    return oldestFirst.size();
  }
}
