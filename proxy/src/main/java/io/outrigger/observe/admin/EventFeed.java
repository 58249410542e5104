package io.outrigger.observe.admin;

import java.util.concurrent.CompletionStage;

/** The source of a stream of server-sent events. Any thread may call it. */
public interface EventFeed {
  /**
   * A part of the stream.
   *
   * @param text whole events; may be empty
   * @param isLast false when more events are available already
   */
  record Part(String text, boolean isLast) {}

  /**
   * Returns the events after the last part. The caller waits for the returned stage before it calls
   * this method again.
   */
  CompletionStage<Part> next();

  /**
   * Sets the listener: until {@link #close}, {@code wake} runs, on any thread, whenever there are
   * more events.
   */
  void onMore(Runnable wake);

  /** Releases the feed after the reader has disconnected; further calls have no effect. */
  void close();
}
