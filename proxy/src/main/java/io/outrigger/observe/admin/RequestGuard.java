package io.outrigger.observe.admin;

import io.netty.handler.codec.http.HttpRequest;
import java.util.Optional;

/** Who may ask a server; what it refuses reaches no endpoint. Any thread may ask it. */
@FunctionalInterface
interface RequestGuard {
  /** Why a request is refused, or empty. */
  Optional<AdminReply> refusal(HttpRequest request);
}
