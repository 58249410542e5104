package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Bounds what the histories of all resources of a client hold: beyond a number of bytes, the oldest
 * bodies are let go, whosever they are.
 */
@ControlConfined
final class KeptBodies {
  private static final long MAX_BYTES = 8 << 20;

  private final Set<ResourceHistory.Entry> oldestFirst = new LinkedHashSet<>();
  private final long maxBytes;
  private long bytes;

  KeptBodies() {
    this(MAX_BYTES);
  }

  KeptBodies(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  void add(ResourceHistory.Entry entry) {
    if (entry.bodyBytes() == 0) {
      return;
    }
    oldestFirst.add(entry);
    bytes += entry.bodyBytes();
    Iterator<ResourceHistory.Entry> each = oldestFirst.iterator();
    while (bytes > maxBytes) {
      ResourceHistory.Entry oldest = each.next();
      each.remove();
      bytes -= oldest.bodyBytes();
      oldest.dropBody();
    }
  }

  /** The entry is in no history any more. */
  void remove(ResourceHistory.Entry entry) {
    if (oldestFirst.remove(entry)) {
      bytes -= entry.bodyBytes();
    }
  }

  /** How many bodies are held. */
  int count() {
    return oldestFirst.size();
  }
}
