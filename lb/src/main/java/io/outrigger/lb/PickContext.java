package io.outrigger.lb;

import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * The call for which a subchannel is picked, restricted to the properties that policies may read. A
 * {@code PickContext} is the call itself, not a copy.
 */
@LoopConfined
public interface PickContext {
  /** The index of the event loop that owns the call, from 0. */
  int loop();

  /**
   * The hash that the route's hash policies compute for the request, or a random number if no
   * policy computes a hash. All picks of a call use the same hash (A42).
   */
  long hash();

  /**
   * The value of a request header, with several values joined by {@code ","}; null when the header
   * is absent. As in routing, headers whose names end in {@code -bin} count as absent.
   *
   * @param name the header's name in lower case
   */
  @Nullable String header(String name);

  /** The session that the call belongs to; null for calls that no session filter has seen (A55). */
  default @Nullable SessionHint session() {
    return null;
  }
}
