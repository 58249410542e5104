package io.outrigger.xds.cache;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
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
 * <p>Watchers use the resource in {@code held}, and no resource when {@code held} is empty. A
 * stream error is always newer than the data error in the same entry, because the first response of
 * the next stream clears the stream error. An entry in state REQUESTED keeps its stream error until
 * the control plane sends an update about the resource.
 *
 * @param held the resource in use, if any
 * @param dataError the latest error of the resource itself; present in every error state
 * @param streamError the reason why the control plane cannot be reached, if the connection failed
 *     after the last update of this entry; not part of the state (A57 connectivity error)
 */
@AnyThread
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
   * The resource in use, with its version and the time of the last response that contained the
   * resource.
   *
   * @param server the server that last sent the resource; the same bytes from another server may
   *     decode to another value
   * @param overlay the overlay under which the resource was decoded; another overlay may give
   *     another value
   */
  public record Held<T>(
      T value, RawResource raw, String version, Instant at, XdsServer server, Overlay overlay) {
    Held<T> with(T newValue, Overlay newOverlay) {
      return new Held<>(newValue, raw, version, at, server, newOverlay);
    }
  }

  /**
   * The latest error of the resource itself.
   *
   * @param version the version that was refused or contained the error; empty when the error has no
   *     version
   * @param refused the resource that was refused; empty for other errors
   */
  public record DataError(
      RpcStatus status, String version, Optional<RawResource> refused, Instant at) {}

  public static <T> CacheEntry<T> requested() {
    return new CacheEntry<>(
        CacheState.REQUESTED, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /**
   * Whether a response is outstanding, so that a timer is needed: no resource that a control plane
   * sent to this process is in use, and the resource was not declared missing (A57-19, A88-42).
   */
  public boolean awaitsAnswer() {
    return isStale()
        || (held.isEmpty() && state != CacheState.DOES_NOT_EXIST && state != CacheState.TIMEOUT);
  }

  public boolean isStale() {
    return state == CacheState.STALE;
  }

  /**
   * Whether the resource does not exist: the server reported its absence, or did not send the
   * resource in time.
   */
  public boolean isKnownNotToExist() {
    return dataError.isPresent() && dataError.get().status().code() == RpcStatus.Code.NOT_FOUND;
  }

  /**
   * Returns the current error. While a resource is in use, the error is ambient. Otherwise the
   * error is the reason why no resource is in use.
   */
  public Optional<RpcStatus> error() {
    return streamError.isPresent() ? streamError : dataError.map(DataError::status);
  }

  /**
   * Delivers the current state to a new watcher: the resource, then the ambient error (A88 "New
   * Watchers").
   */
  public void replayTo(ResourceWatcher<T> watcher) {
    if (held.isPresent()) {
      watcher.onChanged(Outcome.ok(held.get().value()));
      error().ifPresent(watcher::onAmbientError);
    } else {
      error().ifPresent(status -> watcher.onChanged(Outcome.failed(status)));
    }
  }
}
