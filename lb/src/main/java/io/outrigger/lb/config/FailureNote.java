package io.outrigger.lb.config;

import io.outrigger.base.RpcStatus;

/**
 * What every failure of a pick says besides its own reason, so that one line tells both halves of
 * the story (A88 "resolution note").
 *
 * @param cluster the cluster that failed
 * @param note how its discovery fares; ends the message
 */
public record FailureNote(String cluster, String note) {
  /** UNAVAILABLE, with the cluster before {@code reason} and the note behind it. */
  public RpcStatus unavailable(String reason) {
    String text = "cluster \"" + cluster + "\": " + reason;
    return RpcStatus.unavailable(note.isEmpty() ? text : text + "; " + note);
  }
}
