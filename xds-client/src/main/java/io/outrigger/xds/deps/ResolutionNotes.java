package io.outrigger.xds.deps;

import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Notes that are added to the messages of failures (A88 "Handling Ambient Errors"). The note of a
 * cluster contains the ambient errors of the listener, the routes, the cluster and its endpoints.
 * If there are no ambient errors, the note contains the xDS node ID.
 *
 * @param nodeId the xDS node ID; empty for a target without a control plane
 * @param listener the ambient error of the listener, or OK
 * @param routes the ambient error of the route configuration, or OK
 */
public record ResolutionNotes(String nodeId, RpcStatus listener, RpcStatus routes) {
  /** Returns the note of a cluster; empty if all ambient errors are OK and there is no node ID. */
  String note(RpcStatus clusterError, RpcStatus endpointError) {
    // A set omits repetitions: a lost connection gives all resources the same error text.
    Set<String> errors = new LinkedHashSet<>();
    add(errors, listener);
    add(errors, routes);
    add(errors, clusterError);
    add(errors, endpointError);
    if (errors.isEmpty() && !nodeId.isEmpty()) {
      return "xDS node ID: " + nodeId; // A88-24
    }
    return String.join("; ", errors); // A88-25
  }

  /** Returns the status of a failed call; its message is the reason with the note. */
  public RpcStatus failure(String reason) {
    return RpcStatus.unavailable(reason).withNote(note(RpcStatus.OK, RpcStatus.OK));
  }

  /** Returns a text such as {@code cluster "pay": reason}, in which the name occurs once. */
  public static String describe(ResourceType<?> type, String name, RpcStatus reason) {
    String subject = type.subject(name);
    String text = text(reason);
    return text.startsWith(subject) ? text : subject + ": " + text;
  }

  private static void add(Set<String> errors, RpcStatus status) {
    if (!status.isOk()) {
      errors.add(text(status));
    }
  }

  /**
   * Returns the message of a status without the code, because the codes of a control plane have no
   * meaning for callers (A88-20). Returns the code if the message is empty.
   */
  static String text(RpcStatus status) {
    return status.message().isEmpty() ? status.code().toString() : status.message();
  }
}
