package io.outrigger.lb.config;

import io.outrigger.base.RpcStatus;

/**
 * The cluster and the resolution note, which are added to the message of every failed pick (A88).
 *
 * @param note the state of the cluster's discovery, which ends the message
 */
public record FailureNote(String cluster, String note) {
  public static final FailureNote NONE = new FailureNote("", "");

  public RpcStatus unavailable(String reason) {
    String text = "cluster \"" + cluster + "\": " + reason;
    return RpcStatus.unavailable(note.isEmpty() ? text : text + "; " + note);
  }
}
