package io.outrigger.observe.admin;

import java.util.concurrent.CompletionStage;

/**
 * Handles the requests of one path. Called on the admin thread; the reply may be completed later
 * and on another thread.
 */
@FunctionalInterface
public interface AdminEndpoint {
  /**
   * @throws IllegalArgumentException with the reason when the parameters are invalid; the server
   *     replies with 400 and the reason
   */
  CompletionStage<AdminReply> answer(AdminRequest request);
}
