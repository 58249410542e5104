package io.outrigger.lb;

import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * The call for which a subchannel is picked, restricted to the properties that policies may read.
 * An instance is the call itself, not a copy.
 */
@LoopConfined
public interface PickContext {
  /** The number of the event loop that owns the call, from 0; it selects counters. */
  int loop();

  /**
   * The hash of the request by its route's hash policies, random where the policies give no hash;
   * it is the same for every pick of the call (A42).
   */
  long hash();

  /**
   * The value of a request header; several values are joined by {@code ","}; null when the header
   * is absent. Headers with names ending in {@code -bin} are invisible, as they are to routes.
   *
   * @param name the header's name in lower case
   */
  @Nullable String header(String name);

  /** The session that the call belongs to; null for calls that no session filter has seen (A55). */
  default @Nullable SessionHint session() {
    return null;
  }
}
