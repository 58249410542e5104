package io.outrigger.oracle;

import java.util.HashMap;
import java.util.Map;

/** How the backends of a story stand, by port: they are up unless the story says otherwise. */
final class StoryNetwork {
  /** What becomes of an attempt to connect. */
  enum Condition {
    /** It succeeds at once. */
    UP,
    /** It is refused, and connections are lost. */
    DOWN,
    /** Nothing, until the condition is another; connections stay. */
    SILENT
  }

  private final Map<Integer, Condition> conditions = new HashMap<>();

  void set(int port, Condition condition) {
    conditions.put(port, condition);
  }

  Condition of(int port) {
    return conditions.getOrDefault(port, Condition.UP);
  }
}
