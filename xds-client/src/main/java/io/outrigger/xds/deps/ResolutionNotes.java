package io.outrigger.xds.deps;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The resolution notes that are added to the messages of failures (A88 "Handling Ambient Errors").
 * The note of a cluster has the ambient errors of the listener, of the routes, and of the cluster's
 * own CDS and EDS resources. A note without ambient errors has the xDS node ID.
 *
 * @param nodeId empty for a target without a control plane, whose failures name no node
 * @param listener the ambient error of the listener, or OK
 * @param routes the ambient error of the route configuration, or OK
 */
@AnyThread
public record ResolutionNotes(String nodeId, RpcStatus listener, RpcStatus routes) {
  String note() {
    return note(RpcStatus.OK, RpcStatus.OK);
  }

  /**
   * Returns the note of a cluster. The parameters are the ambient errors of its CDS and EDS
   * resources, or OK. The note is empty if there is no error and no node ID.
   */
  String note(RpcStatus cluster, RpcStatus endpoints) {
    // The set drops duplicates, because one cause, such as a lost connection, gives all resources
    // the same error text.
    Set<String> errors = new LinkedHashSet<>();
    add(errors, listener);
    add(errors, routes);
    add(errors, cluster);
    add(errors, endpoints);
    if (errors.isEmpty() && !nodeId.isEmpty()) {
      return "xDS node ID: " + nodeId; // A88-24
    }
    return String.join("; ", errors); // A88-25
  }

  /** Returns a status that callers may receive, whose message is {@code reason} and the note. */
  public RpcStatus failure(String reason) {
    String note = note();
    return RpcStatus.unavailable(note.isEmpty() ? reason : reason + "; " + note);
  }

  /**
   * Returns {@code noun "name": reason}, or the reason alone when the reason already begins with
   * noun and name.
   */
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
   * Returns the message of a status, or the code when the message is empty. The code is otherwise
   * left out, because codes of the control plane have no meaning for callers (A88-20).
   */
  static String text(RpcStatus status) {
    return status.message().isEmpty() ? status.code().toString() : status.message();
  }
}
