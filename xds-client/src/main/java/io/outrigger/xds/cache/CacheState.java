package io.outrigger.xds.cache;

/** The six states of a cache entry (A88 "Cache Entry States"). */
public enum CacheState {
  /** The resource was requested, and no response about the resource has arrived yet. */
  REQUESTED("requested"),
  /**
   * The server deleted the resource or did not send it in time. The entry may still hold a resource
   * in use.
   */
  DOES_NOT_EXIST("does_not_exist"),
  /** The latest version is valid and in use. */
  ACKED("acked"),
  /** The latest version was refused. The entry may still hold an older version in use. */
  NACKED("nacked"),
  /**
   * The server sent an error in place of the resource. The entry may still hold a resource in use.
   */
  RECEIVED_ERROR("received_error"),
  /** A server with {@code resource_timer_is_transient_error} did not send the resource in time. */
  TIMEOUT("timeout");

  private final String label;

  CacheState(String label) {
    this.label = label;
  }

  /** Returns the name of the state in dumps and metrics. */
  public String label() {
    return label;
  }
}
