package io.outrigger.xds.cache;

import java.util.Locale;

/** The states of a cache entry: the six states of A88 "Cache Entry States", and STALE. */
public enum CacheState {
  /** The resource was requested, and no response about the resource has arrived yet. */
  REQUESTED,
  /** A resource of an earlier process is in use until a control plane answers (CONTRACT 16). */
  STALE,
  /** The resource was deleted (and may stay in use), or the server did not send it in time. */
  DOES_NOT_EXIST,
  ACKED,
  /** The latest version was refused; an older version may stay in use. */
  NACKED,
  /** The server sent an error in place of the resource; an older version may stay in use. */
  RECEIVED_ERROR,
  /** A server with {@code resource_timer_is_transient_error} did not send the resource in time. */
  TIMEOUT;

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
