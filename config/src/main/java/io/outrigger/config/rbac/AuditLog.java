package io.outrigger.config.rbac;

/** Receives the decisions that an RBAC filter's audit loggers record (A59). */
public interface AuditLog {
  /**
   * Records a decision without blocking the caller; an entry that cannot be written is counted as
   * lost.
   *
   * @param method the path of the RPC
   * @param principal the peer's SPIFFE ID; empty if the peer has none
   * @param filter the name of the HTTP filter, which is the {@code policy_name} of the entry
   */
  void record(String method, String principal, String filter, Rbac.Decision decision);
}
