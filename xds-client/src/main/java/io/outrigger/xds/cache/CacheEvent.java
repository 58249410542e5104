package io.outrigger.xds.cache;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.cache.CacheEntry.DataError;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.overlay.Overlay;
import java.time.Instant;
import java.util.Optional;

/**
 * An event that concerns one resource. The message of an event contains the name of the resource.
 * The message of a stream error contains the name of the server.
 */
public sealed interface CacheEvent<T> {
  /** Returns the entry after this event; see {@link CacheTransition#apply}. */
  CacheEntry<T> next(CacheEntry<T> entry, ServerFeatures features);

  record Received<T>(Held<T> held) implements CacheEvent<T> {
    @Override
    public CacheEntry<T> next(CacheEntry<T> entry, ServerFeatures features) {
      Held<T> next = held.with(entry.heldIfEqual(held.value()), held.overlay());
      return new CacheEntry<>(
          CacheState.ACKED, Optional.of(next), Optional.empty(), Optional.empty());
    }
  }

  /** A resource that an earlier process stored comes into use, because no control plane answers. */
  record Restored<T>(Held<T> held) implements CacheEvent<T> {
    @Override
    public CacheEntry<T> next(CacheEntry<T> entry, ServerFeatures features) {
      return new CacheEntry<>(
          CacheState.STALE, Optional.of(held), Optional.empty(), entry.streamError());
    }
  }

  /** The overlay rules have changed; the resource in use was decoded again with the new rules. */
  record Overlaid<T>(T value, Overlay overlay) implements CacheEvent<T> {
    @Override
    public CacheEntry<T> next(CacheEntry<T> entry, ServerFeatures features) {
      Held<T> before = entry.held().orElseThrow(() -> new IllegalStateException("nothing is held"));
      return new CacheEntry<>(
          entry.state(),
          Optional.of(before.with(entry.heldIfEqual(value), overlay)),
          entry.dataError(),
          entry.streamError());
    }
  }

  /** An invalid version of the resource arrived; the message lists all errors. */
  record Rejected<T>(String message, RawResource raw, String version, Instant at)
      implements CacheEvent<T> {
    @Override
    public CacheEntry<T> next(CacheEntry<T> entry, ServerFeatures features) {
      var status = new RpcStatus(RpcStatus.Code.INVALID_ARGUMENT, message);
      var error = new DataError(status, version, Optional.of(raw), at);
      return entry.withDataError(CacheState.NACKED, error, features.failOnDataErrors());
    }
  }

  /** A full response arrived without the resource (LDS, CDS only). */
  record Deleted<T>(String message, String version, Instant at) implements CacheEvent<T> {
    @Override
    public CacheEntry<T> next(CacheEntry<T> entry, ServerFeatures features) {
      boolean isKnown = entry.state() == CacheState.DOES_NOT_EXIST;
      boolean isReceived =
          entry.held().isPresent()
              || entry.state() == CacheState.NACKED
              || entry.state() == CacheState.RECEIVED_ERROR;
      if (!isReceived || (isKnown && !features.failOnDataErrors())) {
        return entry; // never received (A57-35), or already deleted but kept (A88-18)
      }
      var status = new RpcStatus(RpcStatus.Code.NOT_FOUND, message);
      var error = new DataError(status, version, Optional.empty(), at);
      boolean drop = features.failOnDataErrors() || entry.isStale();
      return entry.withDataError(CacheState.DOES_NOT_EXIST, error, drop);
    }
  }

  /** The server sent an error in place of the resource (xRFC TP3). */
  record ServerError<T>(RpcStatus status, String version, Instant at) implements CacheEvent<T> {
    public ServerError {
      if (status.isOk()) {
        throw new IllegalArgumentException("a resource error with status OK");
      }
    }

    @Override
    public CacheEntry<T> next(CacheEntry<T> entry, ServerFeatures features) {
      var error = new DataError(status, version, Optional.empty(), at);
      boolean drop = status.isAbsence() && (features.failOnDataErrors() || entry.isStale());
      return entry.withDataError(CacheState.RECEIVED_ERROR, error, drop);
    }
  }

  /** The server did not send the resource in time (A57 "Handling Resources That Do Not Exist"). */
  record TimerFired<T>(String message, Instant at) implements CacheEvent<T> {
    @Override
    public CacheEntry<T> next(CacheEntry<T> entry, ServerFeatures features) {
      if (!entry.awaitsAnswer()) {
        throw new IllegalStateException(entry.state() + " entry was not waiting: " + this);
      }
      boolean isTransient = features.resourceTimerIsTransientError();
      var code = isTransient ? RpcStatus.Code.UNAVAILABLE : RpcStatus.Code.NOT_FOUND;
      var error = new DataError(new RpcStatus(code, message), "", Optional.empty(), at);
      var state = isTransient ? CacheState.TIMEOUT : CacheState.DOES_NOT_EXIST;
      return entry.withDataError(state, error, true);
    }
  }

  record StreamFailed<T>(RpcStatus status) implements CacheEvent<T> {
    @Override
    public CacheEntry<T> next(CacheEntry<T> entry, ServerFeatures features) {
      return entry.withStreamError(Optional.of(status));
    }
  }

  /** The control plane responded again, with any resource (A88-27). */
  record StreamRecovered<T>() implements CacheEvent<T> {
    @Override
    public CacheEntry<T> next(CacheEntry<T> entry, ServerFeatures features) {
      // A resource without an update keeps its stream error (decision xds-0013): watchers have
      // received the error as a failure of the resource, and only an update ends this failure.
      return entry.state() == CacheState.REQUESTED
          ? entry
          : entry.withStreamError(Optional.empty());
    }
  }
}
