package io.outrigger.observe.admin;

import io.netty.handler.codec.http.HttpRequest;
import java.util.Optional;

/**
 * Decides which requests a server accepts; a rejected request reaches no endpoint. Any thread may
 * call it.
 */
@FunctionalInterface
interface RequestGuard {
  /** Returns the reply that rejects {@code request}; empty when the request is accepted. */
  Optional<AdminReply> refusal(HttpRequest request);
}
