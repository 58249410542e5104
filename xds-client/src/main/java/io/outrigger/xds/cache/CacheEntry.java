package io.outrigger.xds.cache;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.overlay.Overlay;
import java.time.Instant;
import java.util.Optional;

/**
 * The cached state of one resource (A88 "Cache Entry States").
 *
 * @param held the resource in use
 * @param dataError the latest error of the resource itself; present in all error states
 * @param streamError the connectivity error (A57), which is newer than any data error. The first
 *     response of the next stream removes a stream error, but an entry in state REQUESTED keeps it
 *     until the resource arrives
 */
public record CacheEntry<T>(
    CacheState state,
    Optional<Held<T>> held,
    Optional<DataError> dataError,
    Optional<RpcStatus> streamError) {
  public CacheEntry {
    boolean legal =
        switch (state) {
          case REQUESTED -> held.isEmpty() && dataError.isEmpty();
          case ACKED -> held.isPresent() && dataError.isEmpty();
          case STALE -> held.isPresent();
          case TIMEOUT -> held.isEmpty() && dataError.isPresent();
          case DOES_NOT_EXIST, NACKED, RECEIVED_ERROR -> dataError.isPresent();
        };
    if (!legal) {
      throw new IllegalStateException(state + " with " + held + " and " + dataError);
    }
  }

  /**
   * The resource in use.
   *
   * @param at the time of the last response that contained the resource
   * @param server the server that sent the resource; the same bytes from another server may decode
   *     to another value
   * @param overlay the local rules that were applied to the resource
   */
  public record Held<T>(
      T value, RawResource raw, String version, Instant at, XdsServer server, Overlay overlay) {
    Held<T> with(T newValue, Overlay newOverlay) {
      return new Held<>(newValue, raw, version, at, server, newOverlay);
    }
  }

  /**
   * An error of the resource itself, not of the connection to the server.
   *
   * @param version the version of the refused resource, or of the response with the error; may be
   *     empty
   * @param refused the refused resource; empty for other errors
   */
  public record DataError(
      RpcStatus status, String version, Optional<RawResource> refused, Instant at) {}

  public static <T> CacheEntry<T> requested() {
    return new CacheEntry<>(
        CacheState.REQUESTED, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /**
   * Whether a timer must wait for the resource (A57-19, A88-42). The result is true in the states
   * REQUESTED and STALE, and in NACKED and RECEIVED_ERROR while no version is in use.
   */
  public boolean awaitsAnswer() {
    return isStale()
        || (held.isEmpty() && state != CacheState.DOES_NOT_EXIST && state != CacheState.TIMEOUT);
  }

  public boolean isStale() {
    return state == CacheState.STALE;
  }

  /** Whether the server reported the resource as absent, or did not send the resource in time. */
  public boolean isKnownNotToExist() {
    return dataError.isPresent() && dataError.get().status().code() == RpcStatus.Code.NOT_FOUND;
  }

  /**
   * Returns the error that watchers have received: an ambient error, or the reason why no resource
   * is in use. An outage does not replace the status of a resource that does not exist (A31-09).
   */
  public Optional<RpcStatus> error() {
    if (dataError.isEmpty() && streamError.isEmpty()) {
      return Optional.empty(); // nearly always: the lambdas below would cost more than all the rest
    }
    Optional<RpcStatus> error = dataError.map(DataError::status);
    Optional<RpcStatus> absence = error.filter(status -> held.isEmpty() && status.isAbsence());
    return streamError
        .map(outage -> absence.map(status -> status.withNote(outage.message())).orElse(outage))
        .or(() -> error);
  }

  /** Returns the value in use if the argument equals it, so that later comparisons are cheap. */
  T heldIfEqual(T value) {
    return held.isPresent() && held.get().value().equals(value) ? held.get().value() : value;
  }

  CacheEntry<T> withStreamError(Optional<RpcStatus> error) {
    return new CacheEntry<>(state, held, dataError, error);
  }

  CacheEntry<T> withDataError(CacheState next, DataError error, boolean drop) {
    // STALE remains until a valid resource arrives, or until a deletion drops the resource.
    boolean staysStale = isStale() && !drop;
    return new CacheEntry<>(
        staysStale ? CacheState.STALE : next,
        drop ? Optional.empty() : held,
        Optional.of(error),
        Optional.empty());
  }

  /** Delivers the current state to a new watcher (A88 "New Watchers"). */
  public void replayTo(ResourceWatcher<T> watcher) {
    new CacheTransition.Step<>(requested(), this, false).notifyWatcher(watcher);
  }
}
