package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.report.LoadReportObserver;
import java.util.List;
import java.util.Optional;

/**
 * Hears what happens between us and the control planes; logs, metrics and the list of events
 * implement it. Called on the control loop; {@code server} is the transport's name.
 */
@ControlConfined
public interface AdsObserver extends LoadReportObserver {
  /** A stream was attached to a connection. */
  void onConnected(String server);

  /** A stream ended, or could not be made, before any response: a connectivity failure (A57). */
  void onFailed(String server, RpcStatus reason);

  /** A stream ended after a response, which is no error (A57-02). */
  void onClosed(String server, RpcStatus reason);

  /** A response was accepted. */
  void onAck(String server, Response response);

  /** A response was refused; {@code details} names each invalid resource with its reasons. */
  void onNack(String server, Response response, String details);

  /** The server sent an error for a resource (xRFC TP3). */
  void onResourceError(String server, ResourceType<?> type, String name, RpcStatus status);

  /**
   * Resources were deleted by the server.
   *
   * @param kept whether what was deleted stays in use (A88 without {@code fail_on_data_errors})
   */
  void onDeleted(String server, ResourceType<?> type, List<String> names, boolean kept);

  /**
   * A response in short.
   *
   * @param valid how many subscribed resources in it were valid
   * @param invalid how many were not
   * @param changes what of it is not as before, the first few of them
   * @param changed how many there are in all
   */
  record Response(
      ResourceType<?> type,
      String version,
      int valid,
      int invalid,
      List<Change> changes,
      int changed) {
    /** So many changes are told of in detail. */
    public static final int MAX_CHANGES = 20;

    public Response {
      changes = List.copyOf(changes);
    }
  }

  /**
   * A resource that came and is not what is in use, accepted or refused.
   *
   * @param before what is in use; empty when nothing was
   */
  record Change(String name, boolean isRefused, Optional<RawResource> before, RawResource after) {}

  /** One observer that tells each of {@code observers}, in this order. */
  static AdsObserver all(AdsObserver... observers) {
    return new AdsObservers(List.of(observers));
  }
}
