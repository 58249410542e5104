package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.PlainText;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import java.util.List;

/**
 * Receives the events between this process and the control planes. All methods are called on the
 * control loop. The name of the control plane's transport is passed as {@code server}.
 */
@ControlConfined
public interface AdsObserver {
  AdsObserver NONE = new AdsObserver() {};

  default void onConnected(String server) {}

  /** A stream ended before any response: a connectivity failure (A57). */
  default void onFailed(String server, RpcStatus reason) {}

  /** A stream ended after a response, which is no error (A57-02). */
  default void onClosed(String server, RpcStatus reason) {}

  /** The use of saved resources has begun or ended, or the state can be written again. */
  default void onStale(String text) {}

  /** The state that an earlier process saved cannot be used, or the state cannot be written. */
  default void onStateProblem(String text) {}

  default void onAck(String server, Response response) {}

  /** The {@code details} name each invalid resource of the rejected response, with reasons. */
  default void onNack(String server, Response response, String details) {}

  /** The response of a server has the same new error for all the names (xRFC TP3). */
  default void onResourceErrors(
      String server, ResourceType<?> type, List<String> names, RpcStatus status) {}

  /**
   * The server deleted resources.
   *
   * @param kept whether targets continue to use the deleted resources (A88 without {@code
   *     fail_on_data_errors}); a port of {@code --serve} never uses a deleted Listener
   */
  default void onDeleted(String server, ResourceType<?> type, List<String> names, boolean kept) {}

  /**
   * The summary of a response.
   *
   * @param version the version, or its first {@link #MAX_VERSION} characters
   * @param valid the number of subscribed resources that were valid
   * @param firstChanges the resources that differ from those in use, at most {@link #MAX_CHANGES}
   * @param changeCount the number of changed resources, which may exceed {@link #MAX_CHANGES}
   */
  record Response(
      ResourceType<?> type,
      String version,
      int valid,
      int invalid,
      List<Change> firstChanges,
      int changeCount) {
    public static final int MAX_CHANGES = 20;
    static final int MAX_VERSION = 64;

    public Response {
      version = PlainText.shortened(version, MAX_VERSION);
      firstChanges = List.copyOf(firstChanges);
    }
  }

  /**
   * A received resource, accepted or rejected, that differs from the resource in use.
   *
   * @param word one of the texts "is new", "changed" and "refused"
   */
  record Change(String name, String word) {
    @Override
    public String toString() {
      return name + " " + word;
    }
  }
}
