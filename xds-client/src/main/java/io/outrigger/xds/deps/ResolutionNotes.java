package io.outrigger.xds.deps;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What failures say besides their own reason (A88 "Handling Ambient Errors"): the ambient errors of
 * the listener and the routes for every cluster, those of its own cluster and endpoints resource
 * for each, and else the xDS node ID.
 *
 * @param listener the listener's ambient error, or OK
 * @param routes the route configuration's, or OK
 */
@AnyThread
record ResolutionNotes(String nodeId, RpcStatus listener, RpcStatus routes) {
  /** The note of what belongs to no cluster. */
  String note() {
    return note(RpcStatus.OK, RpcStatus.OK);
  }

  /** The note of a cluster with these ambient errors of its own; OK for none. */
  String note(RpcStatus cluster, RpcStatus endpoints) {
    // One cause, such as a lost connection, strikes all resources with the same text: said once.
    Set<String> errors = new LinkedHashSet<>();
    add(errors, listener);
    add(errors, routes);
    add(errors, cluster);
    add(errors, endpoints);
    return errors.isEmpty() ? "xDS node ID: " + nodeId : String.join("; ", errors); // A88-25
  }

  /** A failure fit for callers, ending with the note. */
  RpcStatus failure(String reason) {
    return RpcStatus.unavailable(reason + "; " + note());
  }

  /** {@code noun "name": reason}; once, where the reason begins with that itself. */
  static String describe(ResourceType<?> type, String name, RpcStatus reason) {
    String subject = type.noun() + " \"" + name + "\"";
    String text = text(reason);
    return text.startsWith(subject) ? text : subject + ": " + text;
  }

  private static void add(Set<String> errors, RpcStatus status) {
    if (!status.isOk()) {
      errors.add(text(status));
    }
  }

  /** The words of a status; codes of the control plane mean nothing to callers (A88-20). */
  static String text(RpcStatus status) {
    return status.message().isEmpty() ? status.code().toString() : status.message();
  }
}
