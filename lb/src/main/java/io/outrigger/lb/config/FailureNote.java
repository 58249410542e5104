package io.outrigger.lb.config;

import io.outrigger.base.RpcStatus;

/**
 * The cluster and the resolution note, which every failure of a pick contains besides its own
 * reason (A88).
 *
 * @param cluster the cluster that failed
 * @param note the state of its discovery; ends the message
 */
public record FailureNote(String cluster, String note) {
  /** UNAVAILABLE, with the cluster before {@code reason} and the note behind it. */
  public RpcStatus unavailable(String reason) {
    String text = "cluster \"" + cluster + "\": " + reason;
    return RpcStatus.unavailable(note.isEmpty() ? text : text + "; " + note);
  }
}
