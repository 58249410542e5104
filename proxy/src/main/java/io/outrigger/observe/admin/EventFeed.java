package io.outrigger.observe.admin;

import java.util.concurrent.CompletionStage;

/** The source of a stream of server-sent events; callable from any thread. */
public interface EventFeed {
  /**
   * Returns a stage that completes with the next events as text, once there are events. The caller
   * waits for the returned stage before it calls this method again.
   */
  CompletionStage<String> next();

  /** Releases the feed after the reader has disconnected; further calls have no effect. */
  void close();
}
