package io.outrigger.lb;

import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * The call that a pick is for, as far as policies may see it. It is the call itself, not a copy.
 */
@LoopConfined
public interface PickContext {
  /** The number of the event loop that owns the call, from 0; for per-loop counters. */
  int loop();

  /**
   * The hash of the request by its route's policies, random where they give none; the same for
   * every pick of the call (A42).
   */
  long hash();

  /**
   * The value of a request header, several joined by {@code ","}; null when absent. Names ending in
   * {@code -bin} are invisible, as to routes.
   *
   * @param name lower case
   */
  @Nullable String header(String name);

  /** The session that the call belongs to; null for calls that no session filter has seen (A55). */
  default @Nullable SessionHint session() {
    return null;
  }
}
