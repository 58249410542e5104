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
 * What is known of one resource (A88 "Cache Entry States").
 *
 * <p>Whatever {@code held} has is what watchers use; whatever it lacks, they do not use. A stream
 * error is always younger than the data error beside it, because the first response of the next
 * stream clears it; alone, it stays until there is news of the resource.
 *
 * @param held the resource in use
 * @param dataError the latest error of the resource itself; present in every state that names one
 * @param streamError the control plane cannot be reached since this entry last heard of it; no part
 *     of the state (A57 connectivity error)
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
          case TIMEOUT -> held.isEmpty() && dataError.isPresent();
          case DOES_NOT_EXIST, NACKED, RECEIVED_ERROR -> dataError.isPresent();
        };
    if (!legal) {
      throw new IllegalStateException(state + " with " + held + " and " + dataError);
    }
  }

  /**
   * The resource in use, with the version and the time at which it was last confirmed.
   *
   * @param server that sent it last; the same bytes from another may mean another value
   * @param overlay that lies over it; under another it may be another value
   */
  public record Held<T>(
      T value, RawResource raw, String version, Instant at, XdsServer server, Overlay overlay) {}

  /**
   * The latest error of the resource itself.
   *
   * @param version that was refused or that carried the error; empty when the error has none
   * @param refused the resource that was refused; empty for other errors
   * @param count how many errors since the resource was last valid
   */
  public record DataError(
      RpcStatus status, String version, Optional<RawResource> refused, Instant at, long count) {}

  /** The entry of a resource that was just asked for. */
  public static <T> CacheEntry<T> requested() {
    return new CacheEntry<>(
        CacheState.REQUESTED, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /**
   * Whether an answer is outstanding, so that a timer makes sense: nothing is in use and the
   * resource was not declared missing yet (A57-19, A88-42).
   */
  public boolean awaitsAnswer() {
    return held.isEmpty() && state != CacheState.DOES_NOT_EXIST && state != CacheState.TIMEOUT;
  }

  /** Whether the server said, by a word or by its silence, that there is no such resource. */
  public boolean isKnownNotToExist() {
    return dataError.isPresent() && dataError.get().status().code() == RpcStatus.Code.NOT_FOUND;
  }

  /** The error in force: ambient when a resource is held, else the reason why there is none. */
  public Optional<RpcStatus> error() {
    return streamError.isPresent() ? streamError : dataError.map(DataError::status);
  }

  /** Tells a late watcher all there is: resource, then ambient error (A88 "New Watchers"). */
  public void replayTo(ResourceWatcher<T> watcher) {
    if (held.isPresent()) {
      watcher.onChanged(Outcome.ok(held.get().value()));
      error().ifPresent(watcher::onAmbientError);
    } else {
      error().ifPresent(status -> watcher.onChanged(Outcome.failed(status)));
    }
  }
}
