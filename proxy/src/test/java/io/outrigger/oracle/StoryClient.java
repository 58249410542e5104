package io.outrigger.oracle;

import io.outrigger.oracle.Story.Step;
import java.util.Map;

/** An xDS client in a story. */
interface StoryClient {
  /** Lets one thing happen, and everything that follows from it at once. */
  void apply(Step step);

  /**
   * What callers who depend on each watched resource see: {@code waits}, {@code uses CONTENT}, the
   * same with {@code , noted} when failures would mention an error, or {@code fails}.
   */
  Map<String, String> seen();

  /** Whether a stream is open, attached or not. */
  boolean hasStream();
}
