package io.outrigger.observe.admin;

import java.util.concurrent.CompletionStage;

/** The source of a stream of server-sent events; callable from any thread. */
public interface EventFeed {
  /**
   * Returns a stage that completes with the next events as text, once there are events. The caller
   * must not call this method again until the returned stage is complete.
   */
  CompletionStage<String> next();

  /** Releases the feed after the reader has disconnected; further calls have no effect. */
  void close();
}
