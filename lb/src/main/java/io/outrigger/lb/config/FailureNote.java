package io.outrigger.lb.config;

import io.outrigger.base.RpcStatus;

/**
 * A cluster's name and resolution note, both part of the message of every failed pick (A88).
 *
 * @param note the resolution note, which describes the discovery of the cluster's endpoints
 */
public record FailureNote(String cluster, String note) {
  public static final FailureNote NONE = new FailureNote("", "");

  public RpcStatus unavailable(String reason) {
    return RpcStatus.unavailable("cluster \"" + cluster + "\": " + reason).withNote(note);
  }
}
