package io.outrigger.xds.cache;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.overlay.Overlay;
import java.time.Instant;

/**
 * What can happen to one resource. Messages are complete: they name the resource, or the server for
 * the errors of a stream.
 */
public sealed interface CacheEvent<T> {
  /** A valid version came from {@code server}, and was decoded under {@code overlay}. */
  record Received<T>(
      T value, RawResource raw, String version, Instant at, XdsServer server, Overlay overlay)
      implements CacheEvent<T> {}

  /** What is in use was decoded again under another overlay; the control plane said nothing. */
  record Overlaid<T>(T value, Overlay overlay) implements CacheEvent<T> {}

  /** A version came that is invalid; {@code message} has every reason. */
  record Rejected<T>(String message, RawResource raw, String version, Instant at)
      implements CacheEvent<T> {}

  /** A full response came without it (LDS, CDS only). */
  record Deleted<T>(String message, String version, Instant at) implements CacheEvent<T> {}

  /** The server sent an error in its place (xRFC TP3). */
  record ServerError<T>(RpcStatus status, String version, Instant at) implements CacheEvent<T> {
    public ServerError {
      if (status.isOk()) {
        throw new IllegalArgumentException("a resource error with status OK");
      }
    }
  }

  /** The server did not answer in time (A57 "Handling Resources That Do Not Exist"). */
  record TimerFired<T>(String message, Instant at) implements CacheEvent<T> {}

  /** The control plane cannot be reached (A57 connectivity error). */
  record StreamFailed<T>(RpcStatus status) implements CacheEvent<T> {}

  /** The control plane answers again, about whatever resource (A88-27). */
  record StreamRecovered<T>() implements CacheEvent<T> {}
}
