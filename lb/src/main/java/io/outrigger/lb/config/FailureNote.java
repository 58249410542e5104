package io.outrigger.lb.config;

import io.outrigger.base.RpcStatus;

/**
 * The name and the resolution note of a cluster, both of which are added to the message of every
 * failed pick (A88).
 *
 * @param note the resolution note, which describes the discovery of the cluster's endpoints; placed
 *     at the end of the message
 */
public record FailureNote(String cluster, String note) {
  public static final FailureNote NONE = new FailureNote("", "");

  public RpcStatus unavailable(String reason) {
    String text = "cluster \"" + cluster + "\": " + reason;
    return RpcStatus.unavailable(note.isEmpty() ? text : text + "; " + note);
  }
}
