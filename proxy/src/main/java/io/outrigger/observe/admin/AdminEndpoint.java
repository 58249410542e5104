package io.outrigger.observe.admin;

import java.util.concurrent.CompletionStage;

/** Answers one path. Called on the admin thread; may answer later and from another thread. */
@FunctionalInterface
public interface AdminEndpoint {
  CompletionStage<AdminReply> answer(AdminRequest request);
}
