package io.outrigger.observe.admin;

import java.util.concurrent.CompletionStage;

/** What a stream of server-sent events is made of. Any thread. */
public interface EventFeed {
  /**
   * A part of the stream.
   *
   * @param text of whole events; may be empty
   * @param isLast false when more is there already
   */
  record Part(String text, boolean isLast) {}

  /** What came since the last part; not called again before it is there. */
  CompletionStage<Part> next();

  /** Runs {@code wake}, on any thread, whenever there is more; until {@link #close}. */
  void onMore(Runnable wake);

  /** The reader has gone; harmless a second time. */
  void close();
}
