package io.outrigger.xds.cache;

/** The six states of a cache entry (A88 "Cache Entry States"). */
public enum CacheState {
  /** Asked for, nothing heard yet. */
  REQUESTED("requested"),
  /** Deleted by the server, or not sent in time; may still hold the resource in use. */
  DOES_NOT_EXIST("does_not_exist"),
  /** The newest version is valid and in use. */
  ACKED("acked"),
  /** The newest version was refused; may still hold an older one in use. */
  NACKED("nacked"),
  /** The server sent an error in place of the resource; may still hold the resource in use. */
  RECEIVED_ERROR("received_error"),
  /** Not sent in time by a server that is known to report missing resources. */
  TIMEOUT("timeout");

  private final String label;

  CacheState(String label) {
    this.label = label;
  }

  /** The name in dumps and metrics. */
  public String label() {
    return label;
  }
}
