package io.outrigger.observe.admin;

import java.util.concurrent.CompletionStage;

/**
 * Handles the requests of one path. Called on the admin thread; the reply may be completed later
 * and on another thread.
 */
@FunctionalInterface
public interface AdminEndpoint {
  CompletionStage<AdminReply> answer(AdminRequest request);
}
