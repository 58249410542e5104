package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import java.util.ArrayDeque;

/**
 * Bounds what the histories of all resources of a client hold: beyond a number of bytes, the oldest
 * bodies are let go, whosever they are.
 */
@ControlConfined
final class KeptBodies {
  private static final long MAX_BYTES = 8 << 20;

  private final ArrayDeque<ResourceHistory.Entry> oldestFirst = new ArrayDeque<>();
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
    while (bytes > maxBytes) {
      ResourceHistory.Entry oldest = oldestFirst.remove();
      bytes -= oldest.bodyBytes();
      oldest.dropBody();
    }
  }
}
