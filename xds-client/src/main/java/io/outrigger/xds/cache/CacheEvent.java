package io.outrigger.xds.cache;

import io.outrigger.base.RpcStatus;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.overlay.Overlay;
import java.time.Instant;

/**
 * An event that concerns one resource. The message of an event contains the name of the resource;
 * the message of a stream error contains the name of the server.
 */
public sealed interface CacheEvent<T> {
  record Received<T>(Held<T> held) implements CacheEvent<T> {}

  /** A resource of an earlier process is used, because no control plane answers. */
  record Restored<T>(Held<T> held) implements CacheEvent<T> {}

  /** The resource in use was decoded again with another overlay. */
  record Overlaid<T>(T value, Overlay overlay) implements CacheEvent<T> {}

  /** An invalid version arrived; {@code message} lists all errors. */
  record Rejected<T>(String message, RawResource raw, String version, Instant at)
      implements CacheEvent<T> {}

  /** A full response arrived without the resource (LDS, CDS only). */
  record Deleted<T>(String message, String version, Instant at) implements CacheEvent<T> {}

  /** The server sent an error in place of the resource (xRFC TP3). */
  record ServerError<T>(RpcStatus status, String version, Instant at) implements CacheEvent<T> {
    public ServerError {
      if (status.isOk()) {
        throw new IllegalArgumentException("a resource error with status OK");
      }
    }

    /** Whether the server has no such resource for this client (A88). */
    public boolean isAbsence() {
      return status.code() == RpcStatus.Code.NOT_FOUND
          || status.code() == RpcStatus.Code.PERMISSION_DENIED;
    }
  }

  /** The server did not send the resource in time (A57 "Handling Resources That Do Not Exist"). */
  record TimerFired<T>(String message, Instant at) implements CacheEvent<T> {}

  record StreamFailed<T>(RpcStatus status) implements CacheEvent<T> {}

  /** The control plane responded again, with any resource (A88-27). */
  record StreamRecovered<T>() implements CacheEvent<T> {}
}
